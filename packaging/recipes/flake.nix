# For Nix: `nix run` of a repository that has this file at its top.
{
  description = "Attention over matrix files, with every step to be seen";
  inputs.nixpkgs.url = "nixpkgs";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = nixpkgs.lib.genAttrs systems;
    in
    {
      packages = each (system:
        let pkgs = nixpkgs.legacyPackages.${system};
        in {
          default = pkgs.stdenv.mkDerivation {
            pname = "selfattn";
            version = "VERSION";
            src = self;
            buildInputs = [ pkgs.cjson pkgs.zlib ];
            postPatch = "patchShebangs .";
            makeFlags = [ "NO_INSTALL=1" "PREFIX=$(out)" ];
            env.SOURCE_DATE_EPOCH = toString self.lastModified;
            meta = {
              license = pkgs.lib.licenses.mit;
              mainProgram = "selfattn";
            };
          };
        });
    };
}
