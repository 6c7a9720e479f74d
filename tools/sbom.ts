import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

// `npm run --silent sbom > sbom.json`: what is shipped, as CycloneDX, from the lock file alone. npm's own
// `--omit dev` also leaves out what development needs besides, `pg` for one: so the lock file's flags decide,
// and npm gets to see nothing but what is shipped.

interface Locked {
  dev?: boolean;
  devOptional?: boolean;
  peer?: boolean;
  link?: boolean;
}

const root = resolve(import.meta.dirname, "..");
const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
const isShipped = ([path, { dev, devOptional, peer, link }]: [string, Locked]) =>
  path.startsWith("node_modules/") && !dev && !devOptional && !peer && !link;

const { name, version, license, dependencies } = read("package.json");
const project = { name, version, license, dependencies };
const { packages, ...lock } = read("package-lock.json");
const shipped = Object.entries<Locked>(packages).filter(isShipped);
const folder = mkdtempSync(join(tmpdir(), "invoice-relay-sbom-"));
try {
  const write = (file: string, content: unknown) =>
    writeFileSync(join(folder, file), JSON.stringify(content));
  write("package.json", project);
  write("package-lock.json", { ...lock, packages: { "": project, ...Object.fromEntries(shipped) } });
  const format = ["--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
  // Whatever NODE_ENV and npm's own settings leave out.
  const everything = ["prod", "dev", "optional", "peer"].map((kind) => `--include=${kind}`);
  const text = execFileSync("npm", ["sbom", ...format, ...everything], { cwd: folder, encoding: "utf8" });
  const bom: { metadata: { component: { name: string } } } = JSON.parse(text);
  // npm takes the name of the folder.
  bom.metadata.component.name = name;
  process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
