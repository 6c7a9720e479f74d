import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { connect } from "../../src/platform/database/connect.ts";
import { grantRoles, ROLES } from "../../src/platform/database/roles.ts";
import { Secret } from "../../src/platform/values/mask.ts";
import { createTestDatabase } from "../support/database.ts";

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
    const { relay, login, migrate } = compose.services;

    expect(relay.depends_on).toEqual({ login: { condition: "service_completed_successfully" } });
    expect(login.depends_on).toEqual({ migrate: { condition: "service_completed_successfully" } });
    expect(migrate.command).toEqual(["migrate"]);
    for (const service of [relay, login, migrate])
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
  });

  it("gives the relay a login of its own, which holds the roles of a plain serve and owns nothing", async () => {
    const { relay, migrate } = compose.services;
    expect(new URL(migrate.environment.DATABASE_URL.replaceAll(/\$\{.*?\}/g, "x")).username).toBe(
      "invoice_relay",
    );
    expect(new URL(relay.environment.DATABASE_URL.replaceAll(/\$\{.*?\}/g, "x")).username).toBe("relay");

    // As psql runs it: its own commands stand for what they put in.
    const name = `relay_${randomBytes(6).toString("hex")}`;
    const statements = read(compose.configs.login.file)
      .replaceAll(/\brelay\b(?=;| login|\x27)/g, name)
      .replace(/^\\getenv password RELAY_POSTGRES_PASSWORD$/m, "")
      .replace(/^select '(create role \w+)' where .* \\gexec$/m, "$1;")
      .replace(":'password'", "'of-a-test'");
    expect(statements).not.toContain("\\");
    const database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    onTestFinished(async () => {
      await client.query(`drop role ${name}`);
      await client.end();
      await database.drop();
    });
    const { db, close } = connect(new Secret(database.url), { max: 1 });
    await grantRoles(db);
    await close();
    await client.query(statements);

    const { rows } = await client.query(
      `select rolcanlogin, rolsuper, array(select roleid::regrole::text from pg_auth_members
        where member = pg_roles.oid order by 1) as roles from pg_roles where rolname = $1`,
      [name],
    );
    const roles = Object.values(ROLES).filter((role) => role !== ROLES.reader);
    expect(rows).toEqual([{ rolcanlogin: true, rolsuper: false, roles: roles.toSorted() }]);
  });
});
