// Loaded into a measured gateway: reports the used heap to the parent process every second.
setInterval(() => process.send?.({ heapUsed: process.memoryUsage().heapUsed }), 1_000).unref();
