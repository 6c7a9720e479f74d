import { describe, expect, it } from "vitest";
import {
  AddressBlocks,
  isAddressBlock,
  isLoopback,
  isLoopbackHost,
  isPrivateHost,
  plainAddress,
} from "../../src/kit/addresses.ts";

describe("an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6"],
    ["2001:db8:1:2::6", "2001:db8:1:2::6"],
    ["2001:DB8::6", "2001:db8::6"],
    ["2001:0db8::6", "2001:db8::6"],
    ["fe80::1%eth0", "fe80::1%eth0"],
    ["::1", "::1"],
    ["No address", null],
    ["127.1", null],
    ["0177.0.0.1", null],
    ["1", null],
    ["", null],
  ])("%j is stored as %j", (text, plain) => {
    expect(plainAddress(text)).toBe(plain);
  });

  it("hosts of URLs: of this machine, of this network, or of the world", () => {
    const host = (url: string) => new URL(url).hostname;
    const here = [
      "http://LOCALHOST",
      "http://a.localhost",
      "http://127.1",
      "http://[::1]",
      "http://[::ffff:127.0.0.1]",
    ];
    const near = [
      "http://10.0.0.1",
      "http://[::ffff:192.168.0.1]",
      "http://[fd00::1]",
      "http://[fe80::1]",
      "http://db.internal",
    ];
    const far = [
      "http://8.8.8.8",
      "http://[2001:4860::8888]",
      "http://example.com",
      "http://localhost.example.com",
    ];
    expect([...here, ...near, ...far].map(host).filter(isLoopbackHost)).toEqual(here.map(host));
    expect([...here, ...near, ...far].map(host).filter(isPrivateHost)).toEqual([...here, ...near].map(host));
  });

  it("is of this machine, mapped into IPv6 or not", () => {
    expect(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"].filter(isLoopback)).toHaveLength(4);
    expect(["128.0.0.1", "::2", "::ffff:10.0.0.1", "localhost", "", undefined].filter(isLoopback)).toEqual(
      [],
    );
  });
});

describe("blocks of addresses", () => {
  it("are well-formed or refused", () => {
    const good = ["203.0.113.7", "203.0.113.0/24", "0.0.0.0/0", "2001:db8::/32", "::1/128"];
    expect(good.filter(isAddressBlock)).toEqual(good);
    const bad = ["", "/8", "203.0.113.0/33", "::/129", "10.0.0.0/8/8", "10/8", "10.0.0.0/", "10.0.0.0/-1"];
    expect(bad.filter(isAddressBlock)).toEqual([]);
  });

  it("hold what lies in them, mapped into IPv6 or not", () => {
    const blocks = new AddressBlocks([
      "203.0.113.0/24",
      "2001:db8::/32",
      "198.51.100.7",
      "::ffff:192.0.2.0/120",
    ]);
    const within = ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8:9::1", "198.51.100.7", "192.0.2.200"];
    expect(within.filter((address) => blocks.has(address))).toEqual(within);
    const outside = ["203.0.114.1", "2001:db9::1", "198.51.100.8", "192.0.3.1", "::1", "", "nobody"];
    expect(outside.filter((address) => blocks.has(address))).toEqual([]);
  });
});
