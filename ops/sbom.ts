import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

// `npm run --silent sbom > sbom.json`: what is shipped, as CycloneDX, from the lock file alone. npm's own
// `--omit dev` also leaves out what development needs besides, `pg` for one: so the lock file's flags decide.

interface Locked {
  name?: string;
  version: string;
  dev?: boolean;
  devOptional?: boolean;
  peer?: boolean;
}
interface Bom {
  metadata: { component: { name: string; "bom-ref": string } };
  components: { "bom-ref": string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const root = resolve(import.meta.dirname, "..");
const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
const words = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
const bom: Bom = JSON.parse(execFileSync("npm", words, { cwd: root, encoding: "utf8" }));

const { "": project, ...locked }: Record<string, Locked> = read("package-lock.json").packages;
const shipped = new Set(
  Object.entries(locked)
    .filter(([, { dev, devOptional, peer }]) => !dev && !devOptional && !peer)
    .map(([path, { name, version }]) => `${name ?? path.split("node_modules/").at(-1)}@${version}`),
);
// npm takes the name of the folder.
bom.metadata.component.name = project?.name ?? "";
bom.components = bom.components.filter((component) => shipped.has(component["bom-ref"]));
bom.dependencies = bom.dependencies
  .filter(({ ref }) => shipped.has(ref) || ref === bom.metadata.component["bom-ref"])
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => shipped.has(other)) }));
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
