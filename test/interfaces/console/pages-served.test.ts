import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { consolePages } from "../../../src/interfaces/console/console-pages.ts";
import { listen } from "../../../src/platform/http/http-server.ts";
import { createLogger } from "../../../src/platform/log/log.ts";
import { httpApp, protectAnswers } from "../../../src/runtime/http-app.ts";
import { adminApi } from "../../support/admin.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function served(options: { isOpen: boolean; built: boolean; below?: string }) {
  const folder = join(await temporaryFolder(), options.below ?? "");
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Console</title>");
  writeFileSync(join(folder, "assets/index-a1b2c3.js"), "export {};");
  const pages = consolePages({ isOpen: options.isOpen, folder: options.built ? folder : null });
  const logged: string[] = [];
  const log = createLogger({ level: "info", destination: { write: (line) => void logged.push(line) } });
  const app = httpApp([protectAnswers({ behindTls: false }), pages], log);
  const server = await listen(app, { name: "test", port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close(0));
  return async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}${path}`, { redirect: "manual", headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text(), logged };
  };
}

describe("the console's pages", () => {
  it("are one page at every address of theirs, kept by nobody, and its files, kept for ever", async () => {
    const get = await served({ isOpen: true, built: true });
    for (const path of ["", "/", "/payments/3f1c", "/callbacks?verdict=refused"].map(
      (end) => `/console${end}`,
    )) {
      const page = await get(path);
      expect(page, path).toMatchObject({ status: 200, text: expect.stringContaining("<title>Console") });
      expect(page.headers.get("cache-control"), path).toBe("no-store");
      expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    }
    const script = await get("/console/assets/index-a1b2c3.js");
    expect(script.status).toBe(200);
    expect(script.headers.get("cache-control")).toBe("max-age=31536000, immutable");
    expect(script.headers.get("content-type")).toMatch(/^text\/javascript/);
    for (const path of ["assets/other.js", "../package.json", "%2e%2e%2fpackage.json", ".env"])
      expect((await get(`/console/${path}`)).status, path).toBe(404);
    expect((await get("/console/%00")).status).toBeLessThan(500);
  });

  it.each([".nvm/versions", "node_modules/.pnpm/invoice-relay@1", "..console"])(
    "are the same wherever the program is installed, in %s too",
    async (below) => {
      const get = await served({ isOpen: true, built: true, below });
      for (const path of ["/console", "/console/payments/3f1c", "/console/assets/index-a1b2c3.js"])
        expect(await get(path), path).toMatchObject({ status: 200, logged: [] });
      expect(await get("/console/.env")).toMatchObject({ status: 404, logged: [] });
    },
  );

  it.each([
    [416, { range: "bytes=99999999-" }],
    [412, { "if-match": '"another"' }],
    [412, { "if-unmodified-since": "Thu, 01 Jan 1970 00:00:00 GMT" }],
  ])("answer %i to a condition that they do not meet, which is no fault of ours", async (status, headers) => {
    const get = await served({ isOpen: true, built: true });
    for (const path of ["/console", "/console/assets/index-a1b2c3.js"]) {
      expect(await get(path, headers), path).toMatchObject({ status, logged: [] });
    }
  });

  it("run nothing but the relay's own scripts, in nobody's frame, and are not to be sniffed", async () => {
    const get = await served({ isOpen: true, built: true });
    for (const path of ["/console", "/console/assets/index-a1b2c3.js", "/console/nothing.js"]) {
      const { headers } = await get(path);
      const policy = headers.get("content-security-policy") ?? "";
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
      ])
        expect(policy.split("; "), path).toContain(rule);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  it("are not there before they are built, and closed, with the admin API, without ADMIN_TOKENS", async () => {
    expect(await (await served({ isOpen: true, built: false }))("/console")).toMatchObject({ status: 503 });
    const { relay, send } = await adminApi({ ADMIN_TOKENS: undefined });
    expect(await send("GET", "/status")).toMatchObject({ status: 404 });
    expect((await fetch(`${relay.url}/console`)).status).toBe(404);
    expect(relay.consoleUrl).toBeNull();
  });
});
