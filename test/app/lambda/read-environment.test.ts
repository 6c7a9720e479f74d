import { json } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readEnvironment, requireVerifiedTls } from "../../../src/app/lambda/read-environment.ts";
import { Secret } from "../../../src/kit/secret.ts";
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
  vi.stubEnv("AWS_ENDPOINT_URL_SSM", server.url);
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  onTestFinished(() => {
    vi.unstubAllEnvs();
    return server.close();
  });
  return asked;
}

describe("the settings of a function", () => {
  it("are its environment and the secrets that are its business, and it asks for no others", async () => {
    const asked = await localSsm({
      "/invoice-relay/prod/DATABASE_URL_WORKER": "postgres://worker@db/relay",
      "/invoice-relay/prod/COLLECTION_API_KEY": "the key",
    });
    const given = {
      SETTINGS_PATH: "/invoice-relay/prod",
      // Each function has its own database role.
      SECRET_SETTINGS: "DATABASE_URL=DATABASE_URL_WORKER",
      PUBLIC_URL: "https://relay.example.com",
    };

    const [environment, again] = [await readEnvironment(given), await readEnvironment(given)];

    expect(environment).toMatchObject({ ...given, DATABASE_URL: "postgres://worker@db/relay" });
    expect(asked).toEqual(Array(2).fill(["/invoice-relay/prod/DATABASE_URL_WORKER"]));
    expect(environment.COLLECTION_API_KEY).not.toBe("the key");
    // What it has no business with is unguessable.
    expect(environment.CALLBACK_TOKENS).toMatch(/^[\w-]{32}$/);
    expect(environment.CALLBACK_TOKENS).not.toBe(again.CALLBACK_TOKENS);
  });

  it("name the parameter that SSM lacks", async () => {
    await localSsm({});

    await expect(
      readEnvironment({ SETTINGS_PATH: "/invoice-relay/prod", SECRET_SETTINGS: "DATABASE_URL" }),
    ).rejects.toThrow("/invoice-relay/prod/DATABASE_URL");
  });

  it("are the environment alone where no path in SSM is set", async () => {
    const environment = { DATABASE_URL: "postgres://127.0.0.1/relay" };

    expect(await readEnvironment(environment)).toEqual(environment);
  });
});

describe("the database of a function", () => {
  it.each([
    "postgres://relay:secret@db.example.com:5432/relay",
    "postgres://relay:secret@db.example.com/relay?sslmode=require",
    "postgres://relay:secret@db.example.com/relay?sslmode=no-verify",
    "postgres://relay:secret@127.0.0.1.example.com/relay",
  ])("is not reached without verified TLS: %s", (url) => {
    expect(() => requireVerifiedTls(new Secret(url))).toThrow("sslmode=verify-full");
    expect(() => requireVerifiedTls(new Secret(url))).not.toThrow(/secret/);
  });

  it.each([
    "postgres://relay@db.example.com/relay?sslmode=verify-full",
    "postgres://relay@127.0.0.1:5432/relay",
  ])("is reached at %s", (url) => {
    expect(() => requireVerifiedTls(new Secret(url))).not.toThrow();
  });
});
