import { startFakeUpstream } from "@/lib/testing/fake-upstream";
import { onShutdown } from "./shutdown";

/** The demo's upstream. It behaves like a real provider: a delay before the first word, then one word at a time. */
const upstream = await startFakeUpstream(Number(process.env.PORT), "127.0.0.1", { chunks: 80, pace: 30, delay: 250 });
process.send?.({ type: "ready" });
onShutdown(() => upstream.close());
