import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { migrateToLatest } from "../../src/database/migrate.ts";
import { grantRoles, ROLES, type Role } from "../../src/database/roles.ts";
import { Secret } from "../../src/kit/secret.ts";
import { makePartitions, partitionsDue } from "../../src/receive/log/partitions.ts";
import { createEmptyTestDatabase, queryOn } from "./database.ts";
import { onTestFinished } from "./own-test.ts";

/** A login with these roles and nothing else, gone with the test. @returns the database's URL for it */
export async function loginWith(databaseUrl: string, roles: readonly Role[]): Promise<string> {
  const name = `invoice_relay_login_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  const memberships = roles.map((role) => ROLES[role]);
  const within = memberships.length > 0 ? `in role ${memberships.join(", ")}` : "";
  await queryOn(databaseUrl, `create role ${name} login password '${password}' ${within}`);
  onTestFinished(async () => void (await queryOn(databaseUrl, `drop role if exists ${name}`)));
  const url = new URL(databaseUrl);
  url.username = name;
  url.password = password;
  return url.href;
}

/** A database of its own with the roles and their rights, and a connection of its owner. */
export async function withRoles() {
  const database = await createEmptyTestDatabase();
  onTestFinished(() => database.drop());
  const { db, close } = connect(new Secret(database.url), { max: 2 });
  onTestFinished(close);
  await migrateToLatest(db, "relay");
  await makePartitions(db);
  expect(await grantRoles(db)).toBe("granted");
  return { database, db };
}

/** This month's partition of the log. */
export const thisMonth = () => partitionsDue(new Date())[0]?.name ?? "";

/** Runs statements as a login with these roles, each in a transaction that is rolled back. */
export async function tries(
  url: string,
  roles: readonly Role[],
  statements: readonly string[],
): Promise<string[]> {
  const client = new pg.Client({ connectionString: await loginWith(url, roles) });
  await client.connect();
  const outcomes: string[] = [];
  for (const statement of statements) {
    await client.query("begin");
    outcomes.push(
      await client.query(statement).then(
        () => "done",
        ({ code }) => (code === "42501" ? "refused" : code),
      ),
    );
    await client.query("rollback");
  }
  await client.end();
  return outcomes;
}
