import { expect, it } from "vitest";
import { runCli } from "../../support/cli-process.ts";
import { expectGolden } from "../../support/golden.ts";
import { TOKEN } from "../../support/relay.ts";

const OTHER = "other-token-0123456789abcdef";
const callbackUrl = async (words: string[], PUBLIC_URL: string, CALLBACK_TOKENS = TOKEN) => {
  const { code, stdout } = await runCli(["callback-url", ...words, "--json"], {
    PUBLIC_URL,
    CALLBACK_TOKENS,
  });
  expect(code).toBe(0);
  return JSON.parse(stdout) as { urls: { source: string; url: string }[]; warnings: string[] };
};

it("callback-url prints a URL for each token, with the reference, and nothing to look at when all is well", async () => {
  const tokens = `${TOKEN},${OTHER}`;
  const told = await callbackUrl(["--reference", "order 1/2"], "https://relay.example.com/", tokens);
  expect(told).toEqual({
    urls: [TOKEN, OTHER].map((token) => ({
      source: "default",
      url: `https://relay.example.com/callbacks/${token}/order%201%2F2`,
    })),
    warnings: [],
  });
});

it("callback-url warns of addresses that nobody outside reaches, of plain http, and from 141 characters on", async () => {
  const rest = (length: number) =>
    "x".repeat(length - `https://relay.example.com/callbacks/${TOKEN}/`.length);
  const said: string[] = [];
  for (const [address, reference, count] of [
    ["http://localhost:4000", "", 2],
    ["http://127.0.0.1:4000", "", 2],
    ["https://10.1.2.3", "", 1],
    ["https://192.168.0.9", "", 1],
    ["https://[::1]", "", 1],
    ["https://relay.internal", "", 1],
    ["https://relay.example.com", rest(140), 0],
    ["https://relay.example.com", rest(141), 1],
  ] as const) {
    const { warnings } = await callbackUrl(reference === "" ? [] : ["--reference", reference], address);
    said.push(`${address}: ${warnings.join("\n")}`);
    expect(warnings, address).toHaveLength(count);
  }
  await expectGolden("callback-url-warnings", said.join("\n\n"));
});
