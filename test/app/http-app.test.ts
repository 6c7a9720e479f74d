import { expect, it, onTestFinished } from "vitest";
import { httpApp } from "../../src/app/http-app.ts";
import { listen } from "../../src/kit/http-server.ts";
import { createLogger } from "../../src/kit/log.ts";
import { rawSocket } from "../support/raw-socket.ts";

it("an answer that breaks in the middle is cut off, and told in the log like any other fault", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    level: "info",
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const app = httpApp(
    [
      async (_request, response) => {
        response.writeHead(200, { "content-length": 100 });
        await new Promise((resolve) => response.write("half", resolve));
        throw new Error("no row for ada@example.com");
      },
    ],
    log,
  );
  const server = await listen(app, { name: "test", port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close(0));
  expect(await rawSocket(server.url, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").ended).toMatch(/half$/);
  expect(lines).toMatchObject([{ msg: "an answer broke off", method: "GET" }]);
  expect(JSON.stringify(lines)).not.toContain("ada@example.com");
});
