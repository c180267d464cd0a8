import { address, line, number, type OptionDefinition, origins } from "../definition";

/** The site's address, proxy and payment options (contract §3.2). */
export const serverOptions = {
  ServerAddress: { schema: address, default: "", delicate: true, running: "new", card: "server", control: "site" },
  /** Pages whose scripts may call the relay; "*" = all, none = no script of another site. */
  CorsOrigins: { schema: origins, default: "*", delicate: false, running: "new", effect: "relay", card: "server" },
  WorkerUrl: { schema: address, default: "", delicate: true, running: "new", effect: "relay", card: "worker" },
  WorkerValidKey: {
    schema: line,
    default: "",
    delicate: true,
    running: "new",
    secret: true,
    effect: "relay",
    card: "worker",
  },
  PayAddress: {
    schema: address,
    default: "",
    delicate: true,
    running: "none",
    card: "payment",
    requires: "ServerAddress",
  },
  EpayId: { schema: line, default: "", delicate: true, running: "none", card: "payment", requires: "ServerAddress" },
  EpayKey: {
    schema: line,
    default: "",
    delicate: true,
    running: "none",
    secret: true,
    card: "payment",
    requires: "ServerAddress",
  },
  CustomCallbackAddress: {
    schema: address,
    default: "",
    delicate: true,
    running: "none",
    card: "payment",
    requires: "ServerAddress",
  },
  Price: {
    schema: number({ min: 0, max: 1e9 }),
    default: "7.3",
    delicate: false,
    running: "none",
    card: "payment",
    requires: "ServerAddress",
  },
  MinTopUp: {
    schema: number({ min: 0, integer: true }),
    default: "1",
    delicate: false,
    running: "none",
    card: "payment",
    requires: "ServerAddress",
    unit: "currency",
  },
} as const satisfies Record<string, OptionDefinition>;
