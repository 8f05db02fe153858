//! Images that documents embed, from the hosts of live sources.

use std::{
    fs,
    path::{Path, PathBuf},
};

use url::Url;

use super::{Casebook, Inner};
use precedent_core::{
    error::{Error, Result},
    files,
    task::Task,
};
use precedent_trackers::sync;

/// The maximum size of an image, in bytes.
const MAX_BYTES: usize = 10 << 20;
/// The maximum number of cached images; when it is reached, the cache is emptied.
const MAX_IMAGES: usize = 500;
/// The supported formats, by their first bytes. SVG is not one, because it may contain scripts.
const FORMATS: [(&[u8], &str); 4] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
];

/// An image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Media type: `image/png`.
    pub media_type: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Image {
    fn parse(bytes: Vec<u8>) -> Option<Self> {
        let (_, media_type) = FORMATS.into_iter().find(|(start, _)| bytes.starts_with(start))?;
        (bytes.len() <= MAX_BYTES).then_some(Self { media_type, bytes })
    }
}

impl Casebook {
    /// Returns an image that a document embeds. Only the host of a live source is contacted, and
    /// only its own origin receives its token. Images are cached in the casebook's folder. Fails
    /// for another host or another format.
    pub async fn image(&self, url: &str, task: &Task) -> Result<Image> {
        let url = Url::parse(url).map_err(|_| Error::invalid("the image address is invalid"))?;
        let path = self.inner.image_path(&url);
        let target = path.clone();
        if let Some(image) =
            self.run(move |_| Ok(fs::read(target).ok().and_then(Image::parse))).await?
        {
            return Ok(image);
        }
        for (source, remote) in self.live_sources(Vec::new()).await? {
            let (_, address) = sync::remote_address(&source, &remote)?;
            if !address.token_addresses().iter().any(|trusted| trusted.origin() == url.origin()) {
                continue;
            }
            let http = self.inner.http.for_task(task);
            let tracker = self.tracker(&http, &source, &remote).await?;
            let image = Image::parse(tracker.file(&url).await?).ok_or_else(|| {
                Error::invalid("the file is not a supported image, or is larger than 10 MB")
                    .with_hint("PNG, JPEG, GIF and WebP are shown.")
            })?;
            let copy = image.bytes.clone();
            // Ignore the error: the image is then fetched again.
            let _ = self.run(move |i| i.cache_image(&path, &copy)).await;
            return Ok(image);
        }
        let host = url.host_str().unwrap_or_default();
        Err(Error::not_found(format!("{host} is not the host of a source"))
            .with_hint("Images are loaded from the trackers of this casebook only."))
    }
}

impl Inner {
    fn image_folder(&self) -> PathBuf {
        self.folder.join("images")
    }

    fn image_path(&self, url: &Url) -> PathBuf {
        self.image_folder().join(blake3::hash(url.as_str().as_bytes()).to_hex().as_str())
    }

    fn cache_image(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let folder = self.image_folder();
        files::create_private_folder(&folder)?;
        if fs::read_dir(&folder).is_ok_and(|images| images.count() >= MAX_IMAGES) {
            self.forget_images();
            files::create_private_folder(&folder)?;
        }
        files::replace_private(path, bytes)
    }

    /// Empties the cache of images.
    pub(super) fn forget_images(&self) {
        let _ = fs::remove_dir_all(self.image_folder());
    }
}
