import { InvalidArgumentError, Option } from "commander";

/** `--port`, from 0 (a free one) to 65535. */
export function portOption(standard: number): Option {
  return new Option("--port <port>", "the port to listen on; 0 takes a free one")
    .default(standard)
    .argParser((text) => {
      const port = Number(text);
      if (/^\d+$/.test(text) && port <= 65_535) return port;
      throw new InvalidArgumentError("It should be a whole number from 0 to 65535.");
    });
}
