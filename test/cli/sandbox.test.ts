import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Receiver,
  startReceiver,
  startTestService,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";
import { runCli } from "../support/cli-process.ts";

const NOBODY = "00000000-0000-4000-8000-00000000dead";

describe("invoice-relay sandbox", () => {
  let service: TestService;
  let receiver: Receiver;
  beforeAll(async () => {
    [service, receiver] = await Promise.all([startTestService(), startReceiver()]);
  });
  afterAll(async () => {
    await service?.close();
    await receiver?.close();
  });

  const create = () => service.create({ callBackUrl: receiver.url });
  const statusOf = async (id: string) =>
    (await service.api("GET", `/api/v1/invoices/${id}`)).body.data.status;
  const pay = (id: string, ...options: string[]) =>
    runCli(["sandbox", "pay", id, ...options, "--provider", service.url]);
  const callbacksOf = (id: string) =>
    receiver.received
      .map(({ body }) => JSON.parse(body.toString()))
      .filter(({ data }) => data.id === id)
      .map(({ data }) => data.status);

  it("pay: the invoice is paid, and its callback comes", async () => {
    const id = await create();
    const { code, stdout } = await pay(id);
    expect([code, stdout]).toEqual([0, `Invoice ${id} is paid. Its callback comes now.\n`]);
    expect(await statusOf(id)).toBe("Paid");
    await expect.poll(() => callbacksOf(id)).toEqual(["Paid"]);
  });

  it.each<[string, string, string, string[]]>([
    ["--early", "comes now, and the API shows the payment in 5 s.", "Unpaid", ["Paid"]],
    ["--twice", "is paid. Its callback comes twice.", "Paid", ["Paid", "Paid"]],
    ["--never", "is paid. Its callback never comes.", "Paid", []],
    ["--forge", "is, was answered 200.", "Unpaid", ["Paid"]],
  ])("pay %s: says what comes, and so it does", async (option, says, status, callbacks) => {
    const [id, other] = [await create(), await create()];
    expect((await pay(id, option)).stdout).toContain(says);
    await pay(other);
    expect(await statusOf(id)).toBe(status);
    await expect.poll(() => [callbacksOf(id), callbacksOf(other)]).toEqual([callbacks, ["Paid"]]);
    const { body } = await service.control("GET", `/deliveries?invoiceId=${id}`);
    expect(body.deliveries.some(({ state }: { state: string }) => state === "withheld")).toBe(
      option === "--never",
    );
  });

  it.each<[string, string[], number, string]>([
    ["an invoice that nobody has", [NOBODY], 3, "Invoice with the given Id does not exist"],
    ["no id", ["twelve"], 2, "It should be an id"],
    ["contrary wishes", [NOBODY, "--never", "--twice"], 2, "cannot be used with"],
  ])("pay refuses %s", async (_, words, exit, said) => {
    const { code, stderr } = await runCli(["sandbox", "pay", ...words, "--provider", service.url]);
    expect(code).toBe(exit);
    expect(stderr).toContain(said);
  });

  it("says that the service is not there, or is another", async () => {
    const away = await runCli(["sandbox", "pay", NOBODY, "--provider", "http://127.0.0.1:9"]);
    expect([away.code, away.stderr]).toEqual([4, expect.stringContaining("does not answer")]);
    const other = await runCli(["sandbox", "pay", NOBODY, "--provider", receiver.url]);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("is not the collection service")]);
  });
});
