import { PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createLocalTopic } from "../../src/app/dev-topics.ts";
import { type LocalSns, startLocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import {
  type Receiver,
  startReceiver,
  startTestService,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";
import { runCli, startCli } from "../support/cli-process.ts";

const NOBODY = "00000000-0000-4000-8000-00000000dead";

describe("invoice-relay sandbox", () => {
  let service: TestService;
  let receiver: Receiver;
  let sns: LocalSns;
  beforeAll(async () => {
    [service, receiver, sns] = await Promise.all([
      startTestService(),
      startReceiver(),
      startLocalSns({ port: 0 }),
    ]);
  });
  afterAll(async () => {
    await service?.close();
    await receiver?.close();
    await sns?.close();
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

  it("listen: shows callbacks and events as they pass, and nothing from before; no token is shown", async () => {
    const before = await create();
    await pay(before);
    await expect
      .poll(
        async () =>
          (await service.control("GET", `/deliveries?invoiceId=${before}`)).body.deliveries[0].state,
      )
      .toBe("delivered");
    const listening = startCli(["sandbox", "listen"], {
      COLLECTION_API_URL: service.url,
      AWS_ENDPOINT_URL_SNS: sns.url,
    });
    await listening.says("Listening", "stderr");
    const id = await create();
    await pay(id);
    await listening.says(id);
    const client = new SNSClient({
      endpoint: sns.url,
      region: "us-east-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    });
    onTestFinished(() => client.destroy());
    const TopicArn = await createLocalTopic(sns.url, "invoice-events");
    await client.send(
      new PublishCommand({ TopicArn, Message: JSON.stringify({ type: "invoice.paid", subject: id }) }),
    );
    await listening.says("accepted on invoice-events");
    listening.child.kill("SIGINT");
    expect(await listening.ended).toBe(0);

    const lines = listening.output.stdout.trim().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^[\\d:.]{12}  callback  ${id}  documented to .*: 200 after \\d+ ms$`),
      ),
      expect.stringMatching(
        new RegExp(`^[\\d:.]{12}  event     ${id}  invoice.paid accepted on invoice-events as message `),
      ),
    ]);
    expect(listening.output.stdout).toContain("/callbacks/***");
    expect(listening.output.stdout).not.toContain("/callbacks/merchant");
  });
});
