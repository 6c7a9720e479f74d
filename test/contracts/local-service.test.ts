import { CollectionClient } from "../../src/collection-api/index.ts";
import { LIVE_KEY, OPEN_AMOUNT, startTestService } from "../sandbox/provider/service-fixture.ts";
import { describeOperations } from "./describe-operations.ts";

describeOperations("the collection service over HTTP", async () => {
  const service = await startTestService();
  const [paidInvoiceId, unpaidInvoiceId] = [
    await service.create(),
    await service.create(),
    await service.create(),
  ];
  if (paidInvoiceId === undefined || unpaidInvoiceId === undefined) throw new Error("no invoices were made");
  await service.control("POST", `/invoices/${paidInvoiceId}/pay`);
  const client = new CollectionClient({ baseUrl: service.url, apiKey: LIVE_KEY });
  return {
    client,
    collectionId: OPEN_AMOUNT,
    paidInvoiceId,
    unpaidInvoiceId,
    amount: "40000.00",
    bankId: 1,
    linkedAccountNumber: "0123456789",
    async close() {
      await client.close();
      await service.close();
    },
  };
});
