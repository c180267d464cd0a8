import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "@/lib/errors";
import { LogStoreAway } from "./clickhouse/client";
import { OutageLog } from "./outage";
import { RowsRefused } from "./send-batch";
import { isStoreTrouble, logStoreUnreadable, reasonOf } from "./trouble";

const START = 1_700_000_000_000;
let lines: string[];
let outage: OutageLog;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
  lines = [];
  const at = (level: string) => (fields: unknown, text?: string) => {
    lines.push(`${level} ${text} ${JSON.stringify(fields)}`);
  };
  outage = new OutageLog({ error: at("error"), warn: at("warn"), info: at("info") });
});
afterEach(() => {
  vi.useRealTimers();
});

const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:8123"), { code: "ECONNREFUSED" });
const away = new LogStoreAway("http://log1:8123 cannot be reached", { cause: refused });
const REASON = "http://log1:8123 cannot be reached: the connection was refused";
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

test("an outage is a line when it begins, one a minute while it lasts, and one with the waiting rows when it is over", () => {
  outage.failed("reading", away);
  for (let second = 0; second < 150; second += 2) {
    pass(2);
    outage.failed("log-shipping", away, 100 + second);
    if (second % 60 === 0)
      outage.failed("channel-health", logStoreUnreadable(new LogStoreAway("no server can be read")));
  }
  outage.worked("reading");
  outage.worked("log-shipping", 260);
  outage.worked("channel-health");
  outage.worked("log-shipping", 0);
  expect(lines).toEqual([
    `error the log store is away; log rows wait in PostgreSQL until it is back ${JSON.stringify({ reason: REASON })}`,
    `warn the log store is still away ${JSON.stringify({ reason: REASON, awaySeconds: 60, waitingRows: 158, heldUp: ["channel-health"] })}`,
    `warn the log store is still away ${JSON.stringify({ reason: REASON, awaySeconds: 120, waitingRows: 218, heldUp: ["channel-health"] })}`,
    `info the log store is back ${JSON.stringify({ awaySeconds: 150, waitingRows: 260 })}`,
  ]);
});

test("it is over when it is read and sent to again, whatever job has not had its next turn yet", () => {
  outage.failed("books", logStoreUnreadable(away));
  outage.failed("reading", away);
  outage.failed("log-shipping", away, 7);
  outage.worked("log-shipping", 9);
  expect(lines).toHaveLength(1);
  outage.worked("reading");
  expect(lines.slice(1)).toEqual([`info the log store is back ${JSON.stringify({ awaySeconds: 0, waitingRows: 9 })}`]);
});

test("rows that are refused are no outage, and one that begins meanwhile is told", () => {
  outage.failed("log-shipping", new RowsRefused("the log store refuses rows: bad"), 1);
  outage.failed("log-shipping", away, 2);
  outage.worked("log-shipping", 2);
  expect(lines.map((line) => line.slice(0, line.indexOf(" {")))).toEqual([
    "error the log store does not take all log rows; they wait in PostgreSQL",
    "error the log store is away; log rows wait in PostgreSQL until it is back",
    "info the log store is back",
  ]);
});

test("errors of the program are none of the log store's, and keep their stack", () => {
  const clickhouse = (code: number) => new Error(`Code: ${code}, e.displayText() = DB::Exception: said`);
  const codes = [62, 47, 46, 60, 202, 241, 242, 252, 999];
  expect(codes.map((code) => isStoreTrouble(clickhouse(code)))).toEqual(codes.map((code) => code > 47 && code !== 62));
  expect(
    [
      new TypeError("x is not a function"),
      new Error("the database gave no answer"),
      new AppError("invalid", "x"),
      "text",
    ].map(isStoreTrouble),
  ).toEqual([false, false, false, false]);
  expect(
    [away, logStoreUnreadable(), logStoreUnreadable(away), new Error("archive", { cause: away })].map(isStoreTrouble),
  ).toEqual([true, true, true, true]);
});

test("the reason is short, in words, and says nothing twice", () => {
  const circle = new Error("outside");
  circle.cause = new Error("inside", { cause: circle });
  expect(reasonOf(circle)).toBe("outside: inside");
  expect(reasonOf(logStoreUnreadable(away))).toBe(REASON);
  expect(reasonOf(new LogStoreAway("away", { cause: new Error("The user aborted a request.") }))).toBe(
    "away: there was no answer in time",
  );
  expect(reasonOf(new RowsRefused("refuses: bad row", { cause: new Error("bad row\n at line 7") }))).toBe(
    "refuses: bad row",
  );
  expect(reasonOf(new Error("x".repeat(5_000)))).toHaveLength(300);
  expect(reasonOf("nonsense")).toBe("unknown");
});
