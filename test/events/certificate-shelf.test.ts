import { describe, expect, it, onTestFinished, vi } from "vitest";
import { certificateShelf } from "../../src/events/certificate-shelf.ts";
import { startServer } from "../support/own-server.ts";
import { testSigner } from "../support/signer.ts";

const { certificatePem } = await testSigner();
const isGenuine = () => true;
const isForged = () => false;

/**
 * A host of certificates that keeps what it was asked for, and a shelf whose clock stands still until it is
 * moved.
 */
async function host() {
  const asked: string[] = [];
  let [atOnce, most] = [0, 0];
  const { url: origin, close } = await startServer((request, response) => {
    asked.push(request.url ?? "");
    atOnce += 1;
    most = Math.max(most, atOnce);
    response.on("close", () => {
      atOnce -= 1;
    });
    if (request.url?.includes("genuine")) response.end(certificatePem);
    else response.writeHead(404).end();
  });
  onTestFinished(close);
  let now = 0;
  const shelf = certificateShelf(() => now);
  const pass = (seconds: number) => {
    now += seconds * 1_000;
  };
  return { origin, asked, shelf, pass, mostAtOnce: () => most };
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

  it("are fetched in turn, few at once, while forgers name ever others, and the genuine one is kept", async () => {
    const { origin, asked, shelf, mostAtOnce } = await host();
    const forged = Array.from({ length: 100 }, (_, number) =>
      expect(shelf.fits(`${origin}/${number}.pem`, isForged)).rejects.toEqual(unreachable),
    );

    expect(await shelf.fits(`${origin}/genuine.pem`, isGenuine)).toBe(true);
    await Promise.all(forged);
    expect(mostAtOnce()).toBeLessThanOrEqual(16);
    expect(await shelf.fits(`${origin}/genuine.pem`, isGenuine)).toBe(true);
    expect(asked.filter((path) => path === "/genuine.pem")).toHaveLength(1);
  });

  it("are refused for the moment when a thousand wait for their turn, which is not remembered", async () => {
    const { origin, asked, shelf } = await host();
    const waiting = Array.from({ length: 1_016 }, (_, number) =>
      expect(shelf.fits(`${origin}/${number}.pem`, isForged)).rejects.toEqual(unreachable),
    );
    await expect(shelf.fits(`${origin}/genuine.pem`, isGenuine)).rejects.toMatchObject({
      ...{ kind: "unreachable", retry: true, message: expect.stringMatching(/^Too many/) },
    });

    await Promise.all(waiting);
    expect(asked).toHaveLength(1_016);
    expect(await shelf.fits(`${origin}/genuine.pem`, isGenuine)).toBe(true);
  });

  it("are forgotten, the oldest first, while nothing proved them genuine", async () => {
    const { origin, asked, shelf } = await host();
    for (let number = 0; number < 70; number += 1)
      expect(await shelf.fits(`${origin}/genuine-${number}.pem`, isForged)).toBe(false);

    await shelf.fits(`${origin}/genuine-69.pem`, isGenuine);
    expect(asked).toHaveLength(70);
    await shelf.fits(`${origin}/genuine-0.pem`, isGenuine);
    expect(asked).toHaveLength(71);
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
    const { origin, shelf } = await host();
    vi.setSystemTime(Date.now() + 100 * 365 * 86_400_000);
    onTestFinished(() => void vi.useRealTimers());

    await expect(shelf.fits(`${origin}/genuine.pem`, isGenuine)).rejects.toEqual(
      expect.objectContaining({ kind: "untrusted_certificate", retry: false }),
    );
  });
});
