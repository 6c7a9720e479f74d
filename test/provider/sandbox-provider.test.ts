import { collectionApiProvider } from "../../src/provider/collection-api-provider.ts";
import { LIVE_KEY, NOBODY, OPEN_AMOUNT, startTestService } from "../sandbox/provider/service-fixture.ts";
import { describeProvider, type ProviderWorld, type Situation } from "./provider-suite.ts";

type Fault = Record<string, unknown>;

/**
 * How the collection service is put into a situation; what it cannot show is left to the scripted provider.
 */
const FAULTS: Partial<Record<Situation, Fault[]>> = {
  works: [],
  "401": [{ answer: "401" }],
  "403": [{ answer: "403" }],
  "429 for 120 s": [{ answer: "429", retryAfterSeconds: 120 }],
  "500": [{ answer: "500" }],
  "broken JSON": [{ answer: "broken-json" }],
  "half an answer": [{ answer: "half-answer" }],
  "hangs up": [{ answer: "hang-up" }],
  silence: [{ delayMs: 60_000 }],
};

async function world(): Promise<ProviderWorld> {
  const service = await startTestService();
  const invoiceId = await service.create({ collectionId: OPEN_AMOUNT });
  await service.control("POST", `/invoices/${invoiceId}/pay`);
  const provider = collectionApiProvider({ baseUrl: service.url, apiKey: LIVE_KEY });
  let nobody = false;
  return {
    // It knows nothing of what was never made, and needs no fault for it.
    provider: {
      ...provider,
      askInvoice: (id, options) => provider.askInvoice(nobody ? NOBODY : id, options),
    },
    key: LIVE_KEY,
    invoiceId,
    amount: "1500.50",
    collectionId: OPEN_AMOUNT,
    async meets(situation) {
      nobody = situation === "knows nothing";
      await service.control("PUT", "/faults", { api: FAULTS[situation] ?? [] });
    },
    close: () => service.close(),
  };
}

describeProvider(
  "the Collection API's adapter, over the collection service",
  world,
  new Set<Situation>(["knows nothing", ...(Object.keys(FAULTS) as Situation[])]),
);
