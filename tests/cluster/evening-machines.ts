import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** The machines of docs/cluster.md, as containers of systemd-nspawn that boot: each with its own systemd, address and disk. */
export const ADDRESSES: Record<string, string> = {
  pg1: "10.0.0.11",
  pg2: "10.0.0.12",
  pg3: "10.0.0.13",
  weir1: "10.0.0.21",
  weir2: "10.0.0.22",
  lb: "10.0.0.31",
  log1a: "10.0.0.41",
  log1b: "10.0.0.42",
  log2a: "10.0.0.43",
  log2b: "10.0.0.44",
  zk: "10.0.0.45",
};
export const HOST = "10.0.0.1";
const BRIDGE = "weirbr0";
const CGROUPS = "/sys/fs/cgroup";
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export type Result = { status: number; output: string };
export type Machine = {
  name: string;
  root: string;
  on: () => Promise<void>;
  /** An orderly shutdown. */
  off: () => Promise<void>;
  /** As a power failure: everything at once by SIGKILL. */
  kill: () => Promise<void>;
  /** Runs a script in a login shell of root. */
  run: (script: string) => Promise<Result>;
};

function must(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1e8 });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** Debian 12 with nothing but systemd and the network; made once, if `base` is not there. */
export function makeBase(base: string): void {
  if (existsSync(join(base, "etc/debian_version"))) return;
  const include = "--include=systemd,systemd-sysv,dbus,iproute2,ca-certificates";
  must("debootstrap", ["--variant=minbase", include, "bookworm", base, "http://deb.debian.org/debian"]);
}

/** A bridge for the machines, whose way out is this machine. */
export function makeNetwork(): () => void {
  const nat = ["POSTROUTING", "-s", "10.0.0.0/24", "!", "-d", "10.0.0.0/24", "-j", "MASQUERADE"];
  must("ip", ["link", "add", BRIDGE, "type", "bridge"]);
  must("ip", ["address", "add", `${HOST}/24`, "dev", BRIDGE]);
  must("ip", ["link", "set", BRIDGE, "up"]);
  must("sysctl", ["-q", "-w", "net.ipv4.ip_forward=1"]);
  must("iptables", ["-t", "nat", "-A", ...nat]);
  return () => {
    must("iptables", ["-t", "nat", "-D", ...nat]);
    must("ip", ["link", "delete", BRIDGE]);
  };
}

function makeRoot(folder: string, base: string, name: string): string {
  const [root, upper, work] = ["root", "upper", "work"].map((part) => join(folder, part)) as [string, string, string];
  for (const part of [root, upper, work]) mkdirSync(part, { recursive: true });
  must("mount", ["-t", "overlay", "overlay", "-o", `lowerdir=${base},upperdir=${upper},workdir=${work}`, root]);
  const network = `[Match]\nName=host0\n[Network]\nAddress=${ADDRESSES[name]}/24\nGateway=${HOST}\n[Link]\nMTUBytes=1400\n`;
  writeFileSync(join(root, "etc/systemd/network/10-lan.network"), network);
  writeFileSync(join(root, "etc/hostname"), `${name}\n`);
  writeFileSync(join(root, "etc/hosts"), `127.0.0.1 localhost\n127.0.1.1 ${name}\n`);
  writeFileSync(join(root, "etc/resolv.conf"), readFileSync("/etc/resolv.conf"));
  for (const [target, unit] of [
    ["multi-user.target", "systemd-networkd"],
    ["network-online.target", "systemd-networkd-wait-online"],
  ]) {
    const wants = join(root, `etc/systemd/system/${target}.wants`);
    mkdirSync(wants, { recursive: true });
    symlinkSync(`/lib/systemd/system/${unit}.service`, join(wants, `${unit}.service`));
  }
  return root;
}

/** The processes of one machine must not be in the control groups of another. */
function enterControlGroups(name: string): string {
  const groups = ["systemd", "unified", "pids", "memory", "cpu", "cpuacct", "blkio", "devices", "freezer"]
    .map((kind) => join(CGROUPS, kind))
    .filter((folder) => existsSync(join(folder, "cgroup.procs")))
    .map((folder) => join(folder, `evening-${name}`));
  return groups.map((group) => `mkdir -p ${group} && echo $$ > ${group}/cgroup.procs`).join(" && ") || "true";
}

export function makeMachine(folder: string, base: string, name: string): Machine {
  const root = makeRoot(folder, base, name);
  let container: ChildProcess | undefined;
  const leader = (): string => must("pgrep", ["-P", String(container?.pid)]).split("\n")[0] ?? "";
  const ended = async (): Promise<void> => {
    while (container && container.exitCode === null && container.signalCode === null) await delay(50);
  };
  const run = (script: string): Promise<Result> => {
    const clean = ["env", "-i", "HOME=/root", "TERM=xterm", "LANG=C.UTF-8", `PATH=${PATH}`];
    const shell = spawn("nsenter", ["-t", leader(), "-a", ...clean, "bash", "-lc", `cd; ${script}`], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [shell.stdout, shell.stderr])
      stream.on("data", (part: Buffer) => {
        output += part.toString();
      });
    return new Promise((resolve) => shell.on("close", (status) => resolve({ status: status ?? 1, output })));
  };
  return {
    name,
    root,
    run,
    async on() {
      const console = openSync(join(folder, "console.log"), "a");
      const nspawn = `systemd-nspawn -q --boot --machine=evening-${name} --hostname=${name} --directory=${root} --network-bridge=${BRIDGE} --register=no --keep-unit --resolv-conf=off --link-journal=no --capability=all`;
      container = spawn("bash", ["-c", `${enterControlGroups(name)} && exec ${nspawn}`], {
        env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: existsSync(join(CGROUPS, "systemd")) ? "0" : "1" },
        stdio: ["ignore", console, console],
        detached: true,
      });
      for (let tries = 0; tries < 300; tries++) {
        await delay(500);
        const state = await run("systemctl is-system-running").catch(() => null);
        if (state && /running|degraded/.test(state.output)) return;
      }
      throw new Error(`${name} did not boot: ${join(folder, "console.log")}`);
    },
    async off() {
      must("kill", ["-s", "RTMIN+4", leader()]);
      await ended();
    },
    async kill() {
      must("kill", ["-KILL", leader()]);
      await ended();
    },
  };
}

export function removeMachine(folder: string): void {
  spawnSync("umount", [join(folder, "root")]);
  rmSync(folder, { recursive: true, force: true });
}
