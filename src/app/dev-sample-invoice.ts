import { CollectionClient } from "../collection-api/index.ts";
import { callbackUrl } from "./callback-url.ts";
import type { LocalWorld } from "./dev-world.ts";

export interface SampleInvoice {
  id: string;
  reference: string;
  /** Decimal string, fees included. */
  totalAmount: string | null;
  /** The payer's page. */
  paymentUrl: string;
}

/** Creates an invoice as a merchant does: over the provider's API, with the relay's callback URL in it. */
export async function createSampleInvoice(world: LocalWorld): Promise<SampleInvoice> {
  const client = new CollectionClient({
    baseUrl: world.collectionServiceUrl,
    apiKey: world.apiKey,
    callbackUrl: (reference) => callbackUrl(world.relayUrl, world.callbackToken, reference),
  });
  const reference = `order-${Date.now().toString(36)}`;
  try {
    const { invoice } = await client.createInvoice(
      {
        collectionId: world.collectionId,
        title: "School fees, second term",
        payerName: "Ada Obi",
        payerEmail: "ada.obi@example.com",
        billerMetaData: { student: "17" },
        amount: "1500.50",
      },
      { reference },
    );
    const { id, totalAmount, paymentUrl } = invoice;
    return {
      id,
      reference,
      totalAmount,
      paymentUrl: paymentUrl ?? `${world.collectionServiceUrl}/pay/${id}`,
    };
  } finally {
    await client.close();
  }
}
