import { randomBytes } from "node:crypto";
import { ROLES, type Role } from "../../src/platform/database/roles.ts";
import { queryOn } from "./database.ts";
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
