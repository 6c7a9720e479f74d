import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("Dockerfile", () => {
  it("runs as another user than root, on the Node that package.json asks for, with a health check", () => {
    const last =
      read("Dockerfile")
        .split(/^FROM /m)
        .at(-1) ?? "";

    expect(last).toMatch(/^node:24\.\d+\.\d+-alpine(@sha256:\w{64})?\n/);
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK /m);
    expect(JSON.parse(read("package.json")).engines.node).toBe(">=24");
  });

  it("copies only what the build context holds", () => {
    const kept = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const copied = [...read("Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = ""]) =>
      files.split(" "),
    );

    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((file) => !kept.includes(file))).toEqual([]);
  });
});

describe("compose.yaml", () => {
  const compose = parse(read("compose.yaml"), { merge: true });

  it("migrates before it serves, and needs no writable file system", () => {
    const { relay, migrate } = compose.services;

    expect(relay.depends_on).toEqual({ migrate: { condition: "service_completed_successfully" } });
    expect(migrate.command).toEqual(["migrate"]);
    for (const service of [relay, migrate])
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
  });
});
