import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../../src/platform/http/http-server.ts";
import { rawSocket } from "../../support/raw-socket.ts";

const asked = (count: number) => "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count);

it("a connection with more than 16 unanswered requests is closed, and no more of them are carried out (G8)", async () => {
  let [handled, refused] = [0, 0];
  const onRefused = () => {
    refused += 1;
  };
  const server = await listen(
    (_request, response) => {
      handled += 1;
      response.end("<ok>");
    },
    { name: "test", port: 0, host: "127.0.0.1", onRefused },
  );
  onTestFinished(() => server.close(0));
  const last = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const few = await rawSocket(server.url, asked(15) + last).ended;
  expect([few.split("<ok>").length - 1, handled, refused]).toEqual([16, 16, 0]);
  await rawSocket(server.url, asked(2_400)).ended;
  expect([handled, refused]).toEqual([32, 1]);
});
