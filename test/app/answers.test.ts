import { describe, expect, it } from "vitest";
import { rawSocket } from "../support/raw-socket.ts";
import { ownRelay, TOKEN } from "../support/relay.ts";

const relayWith = async (changes: Record<string, string> = {}) =>
  (await ownRelay(changes, { http: true, workers: false })).relay;

const PATHS = ["/", "/healthz", "/readyz", "/metrics", "/callbacks/wrong", "/payment-pages/x", "/%zz"];

describe("every answer", () => {
  it("is not to be sniffed, and behind TLS says that it stays there", async () => {
    const relay = await relayWith();
    for (const path of [...PATHS, `/callbacks/${TOKEN}`]) {
      const { headers } = await fetch(relay.url + path);
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("strict-transport-security"), path).toMatch(/^max-age=\d{8}$/);
    }
  });

  it("says nothing of TLS where there is none", async () => {
    const relay = await relayWith({ PUBLIC_URL: "http://localhost:4000" });
    expect((await fetch(relay.url)).headers.has("strict-transport-security")).toBe(false);
  });

  it("to whoever shows no token ends the connection; a callback's is kept", async () => {
    const relay = await relayWith();
    const ask = (path: string) => rawSocket(relay.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    for (const path of PATHS) expect(await ask(path).ended, path).toMatch(/connection: close/i);
    const { socket } = ask(`/callbacks/${TOKEN}`);
    const answer = await new Promise<string>((resolve) =>
      socket.once("data", (data) => resolve(String(data))),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: keep-alive/i);
  });

  it("to a request with two Host headers is 400, and nothing of it is recorded", async () => {
    const { around, relay } = await ownRelay({}, { http: true, workers: false });
    const request = (hosts: string) =>
      rawSocket(relay.url, `POST /callbacks/${TOKEN} HTTP/1.1\r\n${hosts}Content-Length: 2\r\n\r\n{}`).ended;
    expect(await request("Host: x\r\nHost: evil.example\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await request("host: x\r\nHOST: x\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await request("")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await around.query("select from callback")).toEqual([]);
  });
});
