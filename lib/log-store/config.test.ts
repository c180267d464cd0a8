import { describe, expect, it } from "vitest";
import { logStoreConfig, parseLogStoreUrl } from "./config";

describe("LOG_STORE_URL", () => {
  it("names servers, user, database and cluster; ports and user have the usual defaults", () => {
    expect(parseLogStoreUrl("clickhouse://weir:p%40ss:word@a:9123,b,[::1]:1/logs?secure=1&cluster=main")).toEqual({
      servers: ["https://a:9123", "https://b:8443", "https://[::1]:1"],
      username: "weir",
      password: "p@ss:word",
      database: "logs",
      cluster: "main",
    });
    expect(parseLogStoreUrl("clickhouse://log")).toEqual({
      servers: ["http://log:8123"],
      username: "default",
      password: "",
      database: "default",
      cluster: null,
    });
  });

  it("is refused with the reason and without its password when it cannot be used", () => {
    for (const [url, reason] of [
      ["http://a/weir", "must look like clickhouse://"],
      ["clickhouse://weir:secret@a b/weir", 'the address "a b"'],
      ["clickhouse://weir:secret@a:99999/weir", 'the address "a:99999"'],
      ["clickhouse://weir:secret@a/we-ir", 'the database "we-ir"'],
      ["clickhouse://weir:secret@a/weir?cluster=x'y", 'the cluster "x\'y"'],
      ["clickhouse://weir:secret@a/weir?clusters=x", 'an unknown parameter "clusters"'],
      ["clickhouse://weir:%secret@a/weir", "write %25"],
    ] as const) {
      expect(() => logStoreConfig(url)).toThrow(reason);
      expect(() => logStoreConfig(url)).not.toThrow(/secret/);
    }
    expect(logStoreConfig("")).toBeNull();
  });
});
