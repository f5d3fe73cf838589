# A formula for a Homebrew tap, for Linux: on macOS it has not been tried.
class Selfattn < Formula
  desc "Attention over matrix files, with every step to be seen"
  homepage "PLACE"
  url "PLACE/selfattn-VERSION.tar.gz"
  sha256 "SUM"
  license "MIT"

  depends_on "cjson"
  depends_on :linux
  depends_on "zlib"

  def install
    system "make", "NO_INSTALL=1", "install", "PREFIX=#{prefix}"
  end

  test do
    (testpath/"x.json").write '{"x": [[1, 2]], "expected": {"output": [[1, 2]]}}'
    system bin/"selfattn", "check", "x.json"
  end
end
