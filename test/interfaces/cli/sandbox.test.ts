import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Receiver,
  startReceiver,
  startTestService,
  type TestService,
} from "../../sandbox/provider/service-fixture.ts";
import { runCli } from "../../support/cli-process.ts";
import { expectGolden } from "../../support/golden.ts";

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
    expect((await pay(id)).code).toBe(0);
    expect(await statusOf(id)).toBe("Paid");
    await expect.poll(() => callbacksOf(id)).toEqual(["Paid"]);
  });

  it.each<[string, string, string[]]>([
    ["--early", "Unpaid", ["Paid"]],
    ["--twice", "Paid", ["Paid", "Paid"]],
    ["--never", "Paid", []],
    ["--forge", "Unpaid", ["Paid"]],
  ])("pay %s: says what comes, and so it does", async (option, status, callbacks) => {
    const [id, other] = [await create(), await create()];
    await expectGolden(`sandbox-pay${option}`, (await pay(id, option)).stdout);
    await pay(other);
    expect(await statusOf(id)).toBe(status);
    await expect.poll(() => [callbacksOf(id), callbacksOf(other)]).toEqual([callbacks, ["Paid"]]);
  });

  it("pay refuses an invoice that nobody has, and a service that is not there, or is another", async () => {
    for (const [code, provider] of [
      [3, service.url],
      [4, "http://127.0.0.1:9"],
      [1, receiver.url],
    ] as const)
      expect((await runCli(["sandbox", "pay", NOBODY, "--provider", provider])).code, provider).toBe(code);
  });
});
