import { randomBytes, randomInt } from "node:crypto";
import { join } from "node:path";
import { fillFile } from "./fill";

const MACHINES = ["pg1", "pg2", "pg3"] as const;

export type ClusterShape = {
  /** 1 or 3. */
  etcds: number;
  /** 2 or 3. */
  postgres: number;
  /** Whether a commit waits for a standby. */
  isSynchronous: boolean;
};

export type Values = {
  machines: { name: string; address: string; hasEtcd: boolean; hasPostgres: boolean }[];
  local: string;
  postgresPassword: string;
  /** A file of ops/cluster with the values of this machine, as fill.sh of the same folder makes it. */
  fill: (file: string, machine?: string) => string;
};

/**
 * The values of ops/cluster/cluster.env for a cluster on this machine. Each of its machines is an address of 127.0.0.0/8, all of
 * which Linux has, so that the ports stay those of the documentation.
 */
export function clusterValues(folder: string, { etcds, postgres, isSynchronous }: ClusterShape): Values {
  const network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const local = `${network}.1`;
  const machines = MACHINES.map((name, at) => ({
    name,
    address: `${network}.${11 + at}`,
    hasEtcd: at < etcds,
    hasPostgres: at < postgres,
  }));
  const voters = machines.filter(({ hasEtcd }) => hasEtcd);
  const secret = (): string => randomBytes(12).toString("hex");
  const passwords = {
    POSTGRES_PASSWORD: secret(),
    REPLICATION_PASSWORD: secret(),
    WEIR_PASSWORD: secret(),
    WEIR_SECRET: secret(),
  };
  const shared: Record<string, string> = {
    ...Object.fromEntries(machines.map(({ name, address }) => [name.toUpperCase(), address])),
    ETCD_HOSTS: voters.map(({ address }) => `${address}:2379`).join(","),
    ETCD_CLUSTER: voters.map(({ name, address }) => `${name}=http://${address}:2380`).join(","),
    NETWORK: `${network}.0/24`,
    LOCAL: local,
    SYNCHRONOUS: String(isSynchronous),
    ...passwords,
  };
  const fill = (file: string, machine = "pg1"): string => {
    const address = machines.find(({ name }) => name === machine)?.address ?? "";
    const places = {
      POSTGRES_DATA: join(folder, machine, "data"),
      POSTGRES_HOME: join(folder, machine),
      SOCKETS: join(folder, machine),
      PGBOUNCER: folder,
    };
    const own: Record<string, string> = { ...shared, ...places, NAME: machine, ADDRESS: address };
    return fillFile(join(folder, `${machine}.env`), file, own);
  };
  return { machines, local, postgresPassword: passwords.POSTGRES_PASSWORD, fill };
}
