import { describe, expect, test } from "vitest";
import { findFarmingSign, mailboxOf, networkOf } from "./farming";

describe("one mailbox under several addresses", () => {
  test.each([
    ["A.b+promo@Gmail.com", "ab@gmail.com"],
    ["ab@googlemail.com", "ab@gmail.com"],
    ["a.b+promo@Weir.Example", "a.b@weir.example"],
    ["plain@weir.example", "plain@weir.example"],
  ])("%s is %s", (email, mailbox) => {
    expect(mailboxOf(email)).toBe(mailbox);
  });
});

describe("what an address proves", () => {
  test.each(["", "nonsense", "127.0.0.1", "::1", "10.1.2.3", "192.168.0.9", "172.16.0.1", "fd00::1", "100.64.0.1"])(
    "nothing, when everybody behind one proxy may have it: %s",
    (address) => {
      expect(networkOf(address)).toBeNull();
    },
  );

  test("an IPv4 address stands for itself, also when written as IPv6; an IPv6 address for its /64", () => {
    expect(networkOf("::ffff:8.8.4.4")).toBe(networkOf("8.8.4.4"));
    expect(networkOf("8.8.4.4")).not.toBe(networkOf("8.8.4.5"));
    expect(networkOf("2606:4700:1:2::1")).toBe(networkOf("2606:4700:1:2:ffff::9"));
    expect(networkOf("2606:4700:1:2::1")).not.toBe(networkOf("2606:4700:1:3::1"));
  });
});

describe("signs of farming", () => {
  const inviter = { email: "inviter@weir.example", addresses: ["8.8.4.4"] };

  test("the mailbox of the inviter or of another invitee", () => {
    const newcomer = { email: "inviter+2@weir.example", addresses: [] };
    expect(findFarmingSign(newcomer, [inviter], true)).toBe("same-mailbox");
    expect(findFarmingSign(newcomer, [inviter], false)).toBe("same-mailbox");
  });

  test("the address of the inviter, unless addresses are not looked at", () => {
    const newcomer = { email: null, addresses: ["8.8.4.4"] };
    expect(findFarmingSign(newcomer, [inviter], true)).toBe("same-address");
    expect(findFarmingSign(newcomer, [inviter], false)).toBeNull();
  });

  test("none for a stranger, and none between people of whom nothing is known", () => {
    expect(findFarmingSign({ email: "new@weir.example", addresses: ["8.8.4.5"] }, [inviter], true)).toBeNull();
    const unknown = { email: null, addresses: [""] };
    expect(findFarmingSign(unknown, [unknown], true)).toBeNull();
  });
});
