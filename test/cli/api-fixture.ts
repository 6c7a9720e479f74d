import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { LIVE_KEY, startTestService, type TestService } from "../sandbox/provider/service-fixture.ts";
import { runCli } from "../support/cli-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export const TOKEN = "test-token-0123456789abcdef";

export const INVOICE = [
  "--title",
  "Second term",
  "--payer-name",
  "Ngozi Bello",
  "--payer-email",
  "ngozi@example.com",
] as const;

/** `invoice-relay api` against a collection service that stands for as long as the file's tests. */
export class ApiCommand {
  #service: TestService | undefined;

  constructor() {
    beforeAll(async () => {
      this.#service = await startTestService();
    });
    afterAll(() => this.service.close());
  }

  get service(): TestService {
    if (this.#service === undefined) throw new Error("The collection service stands once the tests begin");
    return this.#service;
  }

  get environment() {
    return {
      COLLECTION_API_URL: this.service.url,
      COLLECTION_API_KEY: LIVE_KEY,
      PUBLIC_URL: "https://relay.example.com",
      CALLBACK_TOKENS: `${TOKEN},second-token-0123456789abcdef`,
    };
  }

  readonly api = (words: readonly string[], changes: Record<string, string> = {}) =>
    runCli(["api", ...words], { ...this.environment, ...changes });

  /** Runs it and expects success with nothing to remark. @returns what it printed. */
  readonly done = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await this.api(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };

  readonly refused = async (words: readonly string[], changes?: Record<string, string>): Promise<string> => {
    const { code, stdout, stderr } = await this.api(words, changes);
    expect(stdout).toBe("");
    expect([1, 2, 3, 4]).toContain(code);
    expect(stderr).not.toContain("    at ");
    return stderr;
  };

  /** What is refused before anything is sent. */
  readonly refusedAtOnce = async (words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await this.api(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    return stderr;
  };

  /** What was printed, without what differs from run to run. */
  readonly settled = (text: string) =>
    text
      .replaceAll(this.service.url, "<service>")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>")
      .replaceAll(/(?<=Invoice |"id": "|\/pay\/|^)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gm, "<invoice>");

  /** What the provider holds of it, as plain HTTP tells. */
  readonly held = async (id: string) => (await this.service.api("GET", `/api/v1/invoices/${id}`)).body.data;
}

/** A file with that text, gone with the test. */
export async function fileWith(text: string): Promise<string> {
  const folder = await temporaryFolder();
  const path = join(folder, "invoice.json");
  await writeFile(path, text);
  return path;
}
