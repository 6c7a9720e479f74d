import { randomBytes } from "node:crypto";
import pg from "pg";
import { ROLES, type Role } from "../../src/database/roles.ts";
import { onTestFinished } from "./own-test.ts";

/** A login with these roles and nothing else, gone with the test. @returns the database's URL for it */
export async function loginWith(databaseUrl: string, roles: readonly Role[]): Promise<string> {
  const name = `invoice_relay_login_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  const memberships = roles.map((role) => ROLES[role]);
  const within = memberships.length > 0 ? `in role ${memberships.join(", ")}` : "";
  await asOwner(databaseUrl, `create role ${name} login password '${password}' ${within}`);
  onTestFinished(() => asOwner(databaseUrl, `drop role if exists ${name}`));
  const url = new URL(databaseUrl);
  url.username = name;
  url.password = password;
  return url.href;
}

async function asOwner(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
