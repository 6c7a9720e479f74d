import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import bundled, { inflate } from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/**
 * A real Chromium for Linux on x64: the one inside an npm package, which brings its libraries and fonts, so that a
 * page measures the same everywhere, and needs nothing but glibc.
 */
export async function launchChromium(): Promise<Browser> {
  const home = await unpacked();
  return await chromium.launch({
    executablePath: join(home, "chromium"),
    // Not the package's own flags: its single process ends with the first page that closes.
    args: ["--no-sandbox", "--no-zygote", "--disable-gpu", "--font-render-hinting=none"],
    env: {
      ...process.env,
      HOME: home,
      FONTCONFIG_FILE: join(home, "fonts.conf"),
      LD_LIBRARY_PATH: join(home, "al2023", "lib"),
    },
  });
}

/** Unpacked once per version, and moved into place only when whole. */
async function unpacked(): Promise<string> {
  const manifest = createRequire(import.meta.url)
    .resolve("@sparticuz/chromium")
    .replace(/build\/.*$/, "package.json");
  const { version } = createRequire(import.meta.url)(manifest) as { version: string };
  const cache = resolve(import.meta.dirname, "../../node_modules/.cache");
  const home = join(cache, `chromium-${version}`);
  if (existsSync(home)) return home;

  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, "chromium-making-"));
  const before = process.env.TMPDIR;
  // The package unpacks into the folder for temporary files, wherever that is.
  process.env.TMPDIR = making;
  try {
    await bundled.executablePath();
    await inflate(join(dirname(manifest), "bin", "al2023.tar.br"));
    // The package's own fonts.conf names folders of the cloud that it was made for.
    await writeFile(
      join(making, "fonts.conf"),
      `<fontconfig><dir>${home}/fonts</dir><cachedir>${home}/fonts-cache</cachedir></fontconfig>`,
    );
    await rename(making, home).catch(async (error: unknown) => {
      await rm(making, { recursive: true, force: true });
      if (!existsSync(home)) throw error;
    });
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  return home;
}
