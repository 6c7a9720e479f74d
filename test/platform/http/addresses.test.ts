import { expect, it } from "vitest";
import {
  AddressBlocks,
  isAddressBlock,
  isLoopback,
  isLoopbackHost,
  isPrivateHost,
  plainAddress,
} from "../../../src/platform/http/addresses.ts";

it.each([
  ["203.0.113.7", ["203.0.113.7", "::ffff:203.0.113.7", "::FFFF:cb00:7107"]],
  ["2001:db8:1:2::6", ["2001:db8:1:2::6"]],
  ["fe80::1%eth0", ["fe80::1%eth0"]],
  [null, ["No address", "127.1", "0177.0.0.1", "1", ""]],
])("an address is stored as %j, written as any of %j", (plain, texts) => {
  for (const text of texts) expect(plainAddress(text), text).toBe(plain);
});

it("hosts of URLs are of this machine, of this network, or of the world", () => {
  const hosts = (...names: string[]) => names.map((name) => new URL(`http://${name}`).hostname);
  const here = hosts("LOCALHOST", "a.localhost", "127.1", "[::1]", "[::ffff:127.0.0.1]");
  const near = hosts("10.0.0.1", "[::ffff:192.168.0.1]", "[fd00::1]", "[fe80::1]", "db.internal");
  const far = hosts("8.8.8.8", "[2001:4860::8888]", "example.com", "localhost.example.com");
  expect([...here, ...near, ...far].filter(isLoopbackHost)).toEqual(here);
  expect([...here, ...near, ...far].filter(isPrivateHost)).toEqual([...here, ...near]);
});

it("an address is of this machine, mapped into IPv6 or not", () => {
  const here = ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"];
  const others = ["128.0.0.1", "::2", "::ffff:10.0.0.1", "localhost", "", undefined];
  expect([...here, ...others].filter(isLoopback)).toEqual(here);
});

it("blocks of addresses are well-formed or refused", () => {
  const good = ["203.0.113.7", "203.0.113.0/24", "0.0.0.0/0", "2001:db8::/32", "::1/128"];
  const bad = ["", "/8", "203.0.113.0/33", "::/129", "10.0.0.0/8/8", "10/8", "10.0.0.0/", "10.0.0.0/-1"];
  expect([...good, ...bad].filter(isAddressBlock)).toEqual(good);
});

it("blocks of addresses hold what lies in them, mapped into IPv6 or not", () => {
  const blocks = new AddressBlocks(
    "203.0.113.0/24 2001:db8::/32 198.51.100.7 ::ffff:192.0.2.0/120".split(" "),
  );
  const within = ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8:9::1", "198.51.100.7", "192.0.2.200"];
  const outside = ["203.0.114.1", "2001:db9::1", "198.51.100.8", "192.0.3.1", "::1", "", "nobody"];
  expect([...within, ...outside].filter((address) => blocks.has(address))).toEqual(within);
});
