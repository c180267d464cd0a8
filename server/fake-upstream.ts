import { startFakeUpstream } from "@/lib/testing/fake-upstream";
import { onShutdown } from "./shutdown";

/** The demo's upstream: answers as a real provider does, first word after a moment, then word by word. */
const upstream = await startFakeUpstream(Number(process.env.PORT), "127.0.0.1", { chunks: 80, pace: 30, delay: 250 });
process.send?.({ type: "ready" });
onShutdown(() => upstream.close());
