import "@/server/tell-failure";

// A process of Weir that cannot be started. It ends with the exit code and for the reason of its environment.
if (process.env.FAILING_CODE) process.exit(Number(process.env.FAILING_CODE));
throw new Error(process.env.FAILING_REASON);
