import { describe, expect, it, onTestFinished } from "vitest";
import { certificateAt } from "../../src/events/verify-signature.ts";
import { startServer } from "../support/own-server.ts";
import { testSigner } from "../support/signer.ts";

const { certificatePem } = await testSigner();

/** A host of certificates that keeps what it was asked for. */
async function host() {
  const asked: string[] = [];
  const { url: origin, close } = await startServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url?.includes("genuine")) response.end(certificatePem);
    else response.writeHead(404).end();
  });
  onTestFinished(close);
  return { origin, asked };
}

describe("the certificate at an address", () => {
  it("is fetched once, however many messages come at once and afterwards", async () => {
    const { origin, asked } = await host();
    await Promise.all(Array.from({ length: 50 }, () => certificateAt(`${origin}/genuine.pem`)));
    await certificateAt(`${origin}/genuine.pem`);
    expect(asked).toEqual(["/genuine.pem"]);
  });

  it("is asked for again after it could not be fetched", async () => {
    const { origin, asked } = await host();
    for (const times of [1, 2]) {
      await expect(certificateAt(`${origin}/missing.pem`)).rejects.toMatchObject({ kind: "unreachable" });
      expect(asked).toHaveLength(times);
    }
  });

  it("is forgotten, the oldest first, when many others are named (G8)", async () => {
    const { origin, asked } = await host();
    for (let number = 0; number <= 100; number += 1) await certificateAt(`${origin}/genuine-${number}.pem`);
    await certificateAt(`${origin}/genuine-100.pem`);
    expect(asked).toHaveLength(101);
    await certificateAt(`${origin}/genuine-0.pem`);
    expect(asked).toHaveLength(102);
  });
});
