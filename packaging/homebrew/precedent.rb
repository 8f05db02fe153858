cask "precedent" do
  version "@VERSION@"
  sha256 "@SHA256:.dmg@"

  url "@URL@/@FILE:.dmg@"
  name "Precedent"
  desc "Finds duplicates and past solutions in issue trackers, offline"
  homepage "@URL@"

  depends_on arch: :arm64
  depends_on macos: ">= :sonoma"

  app "Precedent.app"
  binary "#{appdir}/Precedent.app/Contents/MacOS/precedent"

  # The casebook stays with an ordinary uninstall; `brew uninstall --zap` takes it, too.
  zap trash: "~/Library/Application Support/precedent"
end
