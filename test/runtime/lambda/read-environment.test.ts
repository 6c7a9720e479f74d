import { json } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Secret } from "../../../src/platform/values/mask.ts";
import { readEnvironment, requireVerifiedTls } from "../../../src/runtime/lambda/container.ts";
import { startServer } from "../../support/own-server.ts";

/** An SSM that knows these parameters. Gives the names that it was asked for. */
async function localSsm(parameters: Record<string, string>): Promise<string[][]> {
  const asked: string[][] = [];
  const server = await startServer(async (request, response) => {
    const { Names, WithDecryption } = (await json(request)) as { Names: string[]; WithDecryption: boolean };
    asked.push(Names);
    const known = Names.filter((name) => name in parameters && WithDecryption);
    response.writeHead(200, { "content-type": "application/x-amz-json-1.1" }).end(
      JSON.stringify({
        Parameters: known.map((Name) => ({ Name, Value: parameters[Name], Type: "SecureString" })),
        InvalidParameters: Names.filter((name) => !known.includes(name)),
      }),
    );
  });
  const credentials = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  for (const [name, value] of Object.entries({ ...credentials, AWS_ENDPOINT_URL_SSM: server.url }))
    vi.stubEnv(name, value);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    return server.close();
  });
  return asked;
}

describe("the settings of a function", () => {
  it("are its environment and the secrets that are its business, and it asks for no others", async () => {
    const asked = await localSsm({
      "/invoice-relay/prod/DATABASE_URL": "postgres://worker@db/relay",
      "/invoice-relay/prod/COLLECTION_API_KEY": "the key",
    });
    const given = {
      SETTINGS_PATH: "/invoice-relay/prod",
      SECRET_SETTINGS: "DATABASE_URL",
      PUBLIC_URL: "https://relay.example.com",
    };

    const [environment, again] = [await readEnvironment(given), await readEnvironment(given)];

    expect(environment).toMatchObject({ ...given, DATABASE_URL: "postgres://worker@db/relay" });
    expect(asked).toEqual(Array(2).fill(["/invoice-relay/prod/DATABASE_URL"]));
    expect(environment.COLLECTION_API_KEY).not.toBe("the key");
    // What it has no business with is unguessable.
    expect(environment.CALLBACK_TOKENS).toMatch(/^[\w-]{32}$/);
    expect(environment.CALLBACK_TOKENS).not.toBe(again.CALLBACK_TOKENS);
  });

  it("name the parameter that SSM lacks", async () => {
    await localSsm({});
    const given = { SETTINGS_PATH: "/invoice-relay/prod", SECRET_SETTINGS: "DATABASE_URL" };
    await expect(readEnvironment(given)).rejects.toThrow("/invoice-relay/prod/DATABASE_URL");
  });
});

it.each([
  ["postgres://relay:secret@db.example.com:5432/relay", false],
  ["postgres://relay:secret@db.example.com/relay?sslmode=require", false],
  ["postgres://relay:secret@db.example.com/relay?sslmode=no-verify", false],
  ["postgres://relay:secret@127.0.0.1.example.com/relay", false],
  ["postgres://relay@db.example.com/relay?sslmode=verify-full", true],
  ["postgres://relay@127.0.0.1:5432/relay", true],
])("a function reaches its database over verified TLS alone: %s, %j", (url, isReached) => {
  const reach = () => requireVerifiedTls(new Secret(url));
  // The setting is named, the password is not.
  if (isReached) expect(reach).not.toThrow();
  else expect(reach).toThrow(/^(?!.*secret).*sslmode=verify-full/s);
});
