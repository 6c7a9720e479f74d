import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../support/cli-process.ts";
import { startServer } from "../support/own-server.ts";
import { TOKEN } from "../support/relay.ts";

const OTHER = "other-token-0123456789abcdef";
const callbackUrl = (words: string[], PUBLIC_URL: string, CALLBACK_TOKENS = TOKEN) =>
  runCli(["callback-url", ...words], { PUBLIC_URL, CALLBACK_TOKENS });

describe("invoice-relay callback-url", () => {
  it("prints a URL for each token, with the reference, and nothing to look at when all is well", async () => {
    const { code, stdout, stderr } = await callbackUrl(
      ["--reference", "order 1/2"],
      "https://relay.example.com/",
      `${TOKEN},${OTHER}`,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      `https://relay.example.com/callbacks/${TOKEN}/order%201%2F2\nhttps://relay.example.com/callbacks/${OTHER}/order%201%2F2\n`,
    );
  });

  it.each([
    ["http://localhost:4000", true],
    ["http://127.0.0.1:4000", true],
    ["https://10.1.2.3", false],
    ["https://192.168.0.9", false],
    ["https://[::1]", false],
    ["https://relay.internal", false],
  ])("warns that nobody outside reaches %s", async (address, isPlain) => {
    const { code, stdout, stderr } = await callbackUrl([], address);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${address}/callbacks/${TOKEN}\n` });
    expect(stderr).toContain("a provider elsewhere cannot reach it");
    expect(stderr.includes("It is plain http")).toBe(isPlain);
  });

  it("warns from 141 characters on, since some providers cut off the rest", async () => {
    const ofLength = async (length: number) => {
      const rest = length - `https://relay.example.com/callbacks/${TOKEN}/`.length;
      return (await callbackUrl(["--reference", "x".repeat(rest)], "https://relay.example.com")).stderr;
    };
    expect(await ofLength(140)).toBe("");
    expect(await ofLength(141)).toContain("It is 141 characters long");
  });

  it("with --json says which source each URL is of, and what to look at", async () => {
    const { stdout } = await callbackUrl(["--json"], "https://localhost");
    expect(JSON.parse(stdout)).toEqual({
      urls: [{ source: "default", url: `https://localhost/callbacks/${TOKEN}` }],
      warnings: [expect.stringContaining("cannot reach it")],
    });
  });

  it.each([301, 308])(
    "warns about an address that redirects with %i, and asks for nothing but /healthz",
    async (status) => {
      const asked: string[] = [];
      const { url, close } = await startServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        response.writeHead(status, { location: "https://www.example.com/healthz" }).end();
      });
      onTestFinished(close);
      const { stderr } = await callbackUrl([], url);
      expect(stderr).toContain(`redirects to https://www.example.com (HTTP ${status})`);
      expect(asked).toEqual(["HEAD /healthz"]);
    },
  );
});
