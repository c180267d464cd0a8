import { createServer, type Server } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createChannelNames } from "@/lib/egress/names";
import { ConnectionStack } from "./connections";

let server: Server;
let opened = 0;
let stack: ConnectionStack;

beforeEach(async () => {
  opened = 0;
  server = createServer((_request, response) => response.end("ok"));
  server.on("connection", () => {
    opened += 1;
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  stack = new ConnectionStack(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {});
});

afterEach(async () => {
  await stack.destroy();
  server.closeAllConnections();
  server.close();
});

async function ask(end: "giveBack" | "drop" = "giveBack"): Promise<string> {
  const connection = stack.take();
  try {
    const { body } = await connection.request({ path: "/", method: "GET" });
    return await body.text();
  } finally {
    stack[end](connection);
  }
}

test("requests one after the other share a connection, parallel ones have one each and leave them to the next", async () => {
  for (let i = 0; i < 5; i++) expect(await ask()).toBe("ok");
  expect(opened).toBe(1);
  await Promise.all([ask(), ask(), ask()]);
  await Promise.all([ask(), ask()]);
  expect(opened).toBe(3);
});

test("a connection on which something went wrong is not used again", async () => {
  await ask("drop");
  await ask();
  expect(opened).toBe(2);
});

test("closing lets what is in flight finish, and keeps nothing", async () => {
  const inFlight = ask();
  await stack.close();
  expect(await inFlight).toBe("ok");
  expect(stack.take()).not.toBe(stack.take());
});

test("a server that closed the connection meanwhile is connected to anew", async () => {
  await ask();
  server.closeIdleConnections();
  await new Promise((done) => setImmediate(done));
  await expect.poll(() => ask().catch(() => "")).toBe("ok");
  expect(opened).toBe(2);
});

/** Two servers on one port, as a name leads to one after the other; `at` = who answered. */
async function startTwo(): Promise<{ port: number; close: () => void }> {
  const make = (name: string) => createServer((_request, response) => response.end(name));
  const [first, second] = [make("first"), make("second")];
  const servers = [first, second];
  await new Promise<void>((done) => first.listen(0, "127.0.0.1", done));
  const { port } = first.address() as AddressInfo;
  await new Promise<void>((done) => second.listen(port, "127.0.0.2", done));
  return {
    port,
    close() {
      for (const one of servers) {
        one.closeAllConnections();
        one.close();
      }
    },
  };
}

describe.runIf(process.platform === "linux")(
  "an upstream whose name leads elsewhere is asked there within a minute",
  () => {
    let two: Awaited<ReturnType<typeof startTwo>>;
    let address = "127.0.0.1";
    let isResolvable = true;
    let ms = 0;
    beforeEach(async () => {
      two = await startTwo();
      [address, isResolvable, ms] = ["127.0.0.1", true, 0];
    });
    afterEach(() => two.close());

    /** As the relay makes it, with a name of its own and a clock. A proxy has the name by itself. */
    function openNamed(isTunnel = false): ConnectionStack {
      const names = createChannelNames(
        async () => {
          if (!isResolvable) throw new Error("ENOTFOUND");
          return [address];
        },
        () => ms,
      );
      const lookup: LookupFunction = (host, options, callback) =>
        void (isTunnel ? Promise.resolve([address]) : names(host)).then(
          (found) => {
            const all = found.map((one) => ({ address: one, family: 4 }));
            if (options.all) callback(null, all);
            else callback(null, found[0] ?? "", 4);
          },
          callback as (error: Error) => void,
        );
      const resolve = isTunnel ? null : () => names("upstream.example");
      const connect = buildConnector({ lookup });
      return new ConnectionStack(`http://upstream.example:${two.port}`, { connect }, { resolve, now: () => ms });
    }

    async function whoAnswers(named: ConnectionStack): Promise<string> {
      const connection = named.take();
      const { body } = await connection.request({ path: "/", method: "GET" });
      const text = await body.text();
      named.giveBack(connection);
      return text;
    }

    // Connections are kept for 15 s.
    const paces = [100, 1_000, 4_900, 7_000, 9_900, 11_000, 14_900];
    test.each(paces.flatMap((pace) => [false, true].map((isTunnel) => ({ pace, isTunnel }))))(
      "also when its connections are never closed as idle: a request every $pace ms, by a proxy: $isTunnel",
      async ({ pace, isTunnel }) => {
        const named = openNamed(isTunnel);
        expect(await whoAnswers(named)).toBe("first");
        // It has just been asked for.
        address = "127.0.0.2";
        const changedAt = ms;
        let answered = "first";
        for (ms += pace; answered === "first" && ms - changedAt <= 60_000; ms += pace) {
          answered = await whoAnswers(named);
          // The name is asked for between two requests.
          await new Promise((done) => setImmediate(done));
        }
        expect(answered).toBe("second");
        await named.destroy();
      },
    );

    test("a request that runs stays where it is, and a name that cannot be resolved moves nobody", async () => {
      const named = openNamed();
      const running = named.take();
      expect(await (await running.request({ path: "/", method: "GET" })).body.text()).toBe("first");
      isResolvable = false;
      for (; ms <= 120_000; ms += 10_000) expect(await whoAnswers(named)).toBe("first");
      expect(await (await running.request({ path: "/", method: "GET" })).body.text()).toBe("first");
      named.giveBack(running);
      await named.destroy();
    });
  },
);
