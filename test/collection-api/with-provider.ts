import { CollectionClient, type CollectionClientOptions } from "../../src/collection-api/index.ts";
import { type Handler, type StubProvider, startStubProvider } from "./stub-provider.ts";

export const ID = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";
export const INVOICE = { status: 200, message: "", data: { id: ID, status: "Paid", amount: 1 } };
export const CREATE = { collectionId: ID, title: "Dues", payerName: "Ada", payerEmail: "ada@example.com" };

/** Runs a test with a client of a stub provider, and closes both. */
export async function withProvider(
  handler: Handler,
  options: Partial<CollectionClientOptions>,
  test: (client: CollectionClient, provider: StubProvider) => Promise<void>,
): Promise<void> {
  await using provider = await startStubProvider(handler);
  const client = new CollectionClient({ baseUrl: provider.url, apiKey: "key", ...options });
  try {
    await test(client, provider);
  } finally {
    await client.close();
  }
}

/** A provider that fails some times, asking for no wait, and then answers with the invoice. */
export const fails = (times: number, status = 503): Handler => {
  let request = 0;
  return () =>
    request++ < times ? { status, headers: { "retry-after": "0" }, body: {} } : { body: INVOICE };
};
