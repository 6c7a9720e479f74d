import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { certificateShelf } from "../../src/events/certificate-shelf.ts";
import { createSigner } from "../../src/sandbox/sns/signing.ts";

const { certificatePem } = await createSigner("us-east-1");
const isGenuine = () => true;
const isForged = () => false;

/**
 * A host of certificates that keeps what it was asked for, and a shelf whose clock stands still until it is
 * moved.
 */
async function host() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url?.includes("genuine")) response.end(certificatePem);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let now = Date.now();
  const shelf = certificateShelf(() => now);
  const pass = (seconds: number) => {
    now += seconds * 1_000;
  };
  return { origin, asked, shelf, pass };
}

const unreachable = expect.objectContaining({ kind: "unreachable", retry: true });

describe("the certificates of an origin", () => {
  it("are fetched once each, however many messages come at once", async () => {
    const { origin, asked, shelf } = await host();

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => shelf.fits(`${origin}/genuine.pem`, isGenuine)),
    );

    expect(answers).toEqual(Array(50).fill(true));
    expect(asked).toEqual(["/genuine.pem"]);
  });

  it("cost forged messages no fetch, whether they name the genuine one or one that is missing", async () => {
    const { origin, asked, shelf } = await host();
    await shelf.fits(`${origin}/genuine.pem`, isGenuine);

    for (let message = 0; message < 100; message += 1) {
      expect(await shelf.fits(`${origin}/genuine.pem`, isForged)).toBe(false);
      await expect(shelf.fits(`${origin}/missing.pem`, isForged)).rejects.toEqual(unreachable);
    }

    expect(asked).toEqual(["/genuine.pem", "/missing.pem"]);
  });

  it("are fetched within a budget when forgers name ever others, and the genuine one is kept", async () => {
    const { origin, asked, shelf, pass } = await host();
    await shelf.fits(`${origin}/genuine.pem`, isGenuine);

    for (let message = 0; message < 1_000; message += 1)
      await expect(shelf.fits(`${origin}/${message}.pem`, isForged)).rejects.toEqual(unreachable);
    expect(asked).toHaveLength(8);

    pass(60);
    for (let message = 0; message < 1_000; message += 1)
      await expect(shelf.fits(`${origin}/again-${message}.pem`, isForged)).rejects.toEqual(unreachable);
    expect(asked).toHaveLength(8 + 6);
    expect(await shelf.fits(`${origin}/genuine.pem`, isGenuine)).toBe(true);
    expect(asked.filter((path) => path === "/genuine.pem")).toHaveLength(1);
  });

  it("are forgotten, the oldest first, while nothing proved them genuine", async () => {
    const { origin, asked, shelf, pass } = await host();
    for (let number = 0; number < 20; number += 1) {
      expect(await shelf.fits(`${origin}/genuine-${number}.pem`, isForged)).toBe(false);
      pass(10);
    }

    await shelf.fits(`${origin}/genuine-19.pem`, isGenuine);
    expect(asked).toHaveLength(20);
    await shelf.fits(`${origin}/genuine-0.pem`, isGenuine);
    expect(asked).toHaveLength(21);
  });

  it("are asked for again ten seconds after they could not be fetched", async () => {
    const { origin, asked, shelf, pass } = await host();
    const failing = () => expect(shelf.fits(`${origin}/missing.pem`, isGenuine)).rejects.toEqual(unreachable);

    await failing();
    await failing();
    expect(asked).toHaveLength(1);
    pass(10);
    await failing();
    expect(asked).toHaveLength(2);
  });

  it("fit nothing before and after their time", async () => {
    const { origin, shelf, pass } = await host();
    pass(100 * 365 * 86_400);

    await expect(shelf.fits(`${origin}/genuine.pem`, isGenuine)).rejects.toEqual(
      expect.objectContaining({ kind: "untrusted_certificate", retry: false }),
    );
  });
});
