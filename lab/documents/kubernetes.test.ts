import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { settingsSchema } from "../../src/platform/config/settings.ts";
import { importTool, toolsCache } from "../../tools/tools.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "deploy/kubernetes");

type Container = Record<string, unknown>;

interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: { containers: Container[] };
}

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: {
    selector?: unknown;
    scaleTargetRef?: { name: string };
    template?: PodTemplate;
    jobTemplate?: { spec: { template: PodTemplate } };
  };
}

const manifests: Manifest[] = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), "utf8")).map((document) => document.toJS()),
);
const named = (kind: string, name: string) =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

type Model = new (manifest: Manifest) => { validate(): void };

/** The module of the published schemas that knows this kind. */
const moduleOf = ({ apiVersion }: Manifest) => `kubernetes-models/${apiVersion}`;

/** @returns what Kubernetes' own schema finds missing or of a wrong type */
async function schemaFault(manifest: Manifest): Promise<string | null> {
  const { [manifest.kind]: Model } = await importTool<Record<string, Model>>(moduleOf(manifest));
  if (Model === undefined) return `there is no ${manifest.kind}`;
  try {
    new Model(manifest).validate();
    return null;
  } catch (error) {
    return String(error);
  }
}

/** @returns what the compiler says of them as values of the published types, which know every field's name */
function typeFaults(given: readonly Manifest[]): string {
  mkdirSync(toolsCache, { recursive: true });
  const home = mkdtempSync(join(toolsCache, "kubernetes-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const lines = given.map(
    (manifest, index) =>
      `import type { I${manifest.kind} as T${index} } from "${moduleOf(manifest)}";\nexport const m${index}: T${index} = ${JSON.stringify(manifest)};`,
  );
  const file = join(home, "manifests.ts");
  writeFileSync(file, lines.join("\n"));
  try {
    const words = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig", "--module", "nodenext", file];
    execFileSync(join(root, "node_modules/.bin/tsc"), words, { encoding: "utf8" });
    return "";
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

describe("deploy/kubernetes", () => {
  it("is valid to Kubernetes' published schemas, to the last field's name", async () => {
    const kinds =
      "ConfigMap CronJob Deployment Deployment HorizontalPodAutoscaler Job PodDisruptionBudget PodDisruptionBudget Service ServiceAccount";
    expect(
      manifests
        .map(({ kind }) => kind)
        .sort()
        .join(" "),
    ).toBe(kinds);
    expect((await Promise.all(manifests.map(schemaFault))).filter((fault) => fault !== null)).toEqual([]);
    expect(typeFaults(manifests)).toBe("");
  });

  it("selects pods that are there", () => {
    const labels = manifests.map(
      ({ spec }) => (spec?.template ?? spec?.jobTemplate?.spec.template)?.metadata.labels.app,
    );
    for (const { kind, metadata, spec } of manifests.filter((one) => one.spec?.selector !== undefined)) {
      const app = /"app":"([\w-]+)"/.exec(JSON.stringify(spec.selector))?.[1];
      expect(labels, `${kind} ${metadata.name}`).toContain(app);
    }
    expect(named("HorizontalPodAutoscaler", "invoice-relay-receiver")?.spec.scaleTargetRef?.name).toBe(
      "invoice-relay-receiver",
    );
  });

  it("sets nothing that is no setting, and no secret", () => {
    const { data = {} } = named("ConfigMap", "invoice-relay") ?? {};
    const { OPS_PORT: _, ...others } = data;
    expect(settingsSchema.partial().safeParse(others).error?.issues ?? []).toEqual([]);
    const names = Object.keys(others);
    expect(names.filter((name) => !(name in settingsSchema.shape))).toEqual([]);
    expect(names.filter((name) => /KEY|TOKEN|SECRET|DATABASE/.test(name))).toEqual([]);
  });
});
