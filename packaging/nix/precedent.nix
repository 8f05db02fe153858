# The .deb of the release, repacked: nix-build -E 'with import <nixpkgs> {}; callPackage ./precedent.nix {}'
{
  lib,
  stdenv,
  fetchurl,
  autoPatchelfHook,
  dpkg,
  wrapGAppsHook3,
  dbus,
  glib-networking,
  gtk3,
  libayatana-appindicator,
  webkitgtk_4_1,
}:

stdenv.mkDerivation {
  pname = "precedent";
  version = "@VERSION@";

  src = fetchurl {
    url = "@URL@/@FILE:_amd64.deb@";
    sha256 = "@SHA256:_amd64.deb@";
  };

  nativeBuildInputs = [
    autoPatchelfHook
    dpkg
    wrapGAppsHook3
  ];

  buildInputs = [
    dbus
    glib-networking
    gtk3
    stdenv.cc.cc.lib
    webkitgtk_4_1
  ];

  # The tray icon's library is loaded while the window runs.
  runtimeDependencies = [ libayatana-appindicator ];

  installPhase = ''
    runHook preInstall
    cp -r usr $out
    runHook postInstall
  '';

  meta = {
    description = "Finds duplicates and past solutions in issue trackers, offline";
    homepage = "@URL@";
    license = with lib.licenses; [
      mit
      asl20
    ];
    mainProgram = "precedent";
    platforms = [ "x86_64-linux" ];
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
}
