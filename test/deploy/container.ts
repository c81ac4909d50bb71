// Follows deploy/Dockerfile without a builder, and runs its image without an engine: in Linux namespaces, on layers of
// overlayfs. The base image is a minimal Debian and Bun. It needs root and debootstrap.

import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { cachedFolder, markOf } from "../support/cache.ts";
import { printedBy } from "../support/packages.ts";
import { ROOT } from "../support/pages.ts";
import { followed, type StartedProcess } from "../support/process.ts";

export interface Instruction {
  word: string;
  args: string;
}

export interface Image {
  /** Folders, the lowest first. */
  layers: string[];
  workdir: string;
  env: Record<string, string>;
  user: string;
  entrypoint: string[];
  command: string[];
  healthcheck: string[];
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export function readDockerfile(path: string): Instruction[] {
  const text = readFileSync(path, "utf8")
    .replace(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ");
  return text.split("\n").flatMap((line) => {
    const [, word, args] = /^([A-Z]+) +(.+)$/.exec(line.replace(/ +/g, " ").trim()) ?? [];
    return word ? [{ word, args: args! }] : [];
  });
}

/** @param folder for the layers and mounts, which its owner removes */
export async function buildImage(dockerfile: string, folder: string): Promise<Image> {
  const context = join(folder, "context");
  copyContext(context);
  const stages = new Map<string, Image>();
  for (const { from, name, steps } of stagesOf(readDockerfile(dockerfile))) {
    const parent = stages.get(from) ?? (await baseImage(folder));
    const makeLayer = async (layer: string) => {
      mkdirSync(join(layer, "files"), { recursive: true });
      let image = { ...parent, layers: [...parent.layers, join(layer, "files")] };
      for (const step of steps) {
        await carryOut(step, image, { folder, context, stages });
        image = described(image, step);
      }
      return image;
    };
    // As with a builder's cache: without files of the project, a stage depends on its text alone.
    const isKept = !stages.has(from) && steps.every(({ word }) => word !== "COPY");
    const key = markOf(JSON.stringify([from, steps]));
    const layer = isKept ? await cachedFolder(`layer-${key}`, makeLayer) : join(folder, name);
    const image = isKept ? steps.reduce(described, parent) : await makeLayer(layer);
    stages.set(name, { ...image, layers: [...parent.layers, join(layer, "files")] });
  }
  return stages.get("final")!;
}

interface Stage {
  from: string;
  name: string;
  steps: Instruction[];
}

function stagesOf(instructions: Instruction[]): Stage[] {
  const stages: Stage[] = [];
  for (const step of instructions) {
    // The argument of the base image.
    if (step.word === "ARG" && stages.length === 0) continue;
    if (step.word !== "FROM") stages.at(-1)!.steps.push(step);
    else {
      const [from, , name = "final"] = step.args.split(" ") as [string, string?, string?];
      stages.push({ from, name, steps: [] });
    }
  }
  return stages;
}

/** The files that .dockerignore leaves; it has nothing but `*` and exceptions. */
function copyContext(folder: string): void {
  const lines = readFileSync(join(ROOT, ".dockerignore"), "utf8").replace(/^#.*\n/gm, "");
  const [all, ...exceptions] = lines.trim().split("\n");
  if (all !== "*" || exceptions.some((line) => !line.startsWith("!")))
    throw new Error(".dockerignore is of another form");
  for (const path of exceptions.map((line) => line.slice(1))) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
}

async function baseImage(folder: string): Promise<Image> {
  const source = await printedBy(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)"]);
  const [mirror, release] = source.split("\n")[0]!.split(" ") as [string, string];
  const debian = await cachedFolder(`debian-${release}`, (draft) =>
    printedBy(["debootstrap", "--variant=minbase", release, draft, mirror]),
  );
  const own = join(folder, "bun");
  cpSync(process.execPath, join(own, "usr/local/bin/bun"), { dereference: true });
  // An engine adds these to every container.
  for (const file of ["/etc/hosts", "/etc/resolv.conf"]) cpSync(file, join(own, file), { dereference: true });
  const none = { entrypoint: [], command: [], healthcheck: [] };
  return { layers: [debian, own], workdir: "/", env: { PATH }, user: "0:0", ...none };
}

/** The image after an instruction, without its files. */
function described(image: Image, { word, args }: Instruction): Image {
  const list = (): string[] => JSON.parse(args.slice(args.indexOf("[")));
  switch (word) {
    case "RUN":
    case "COPY":
    case "EXPOSE":
    case "LABEL":
      return image;
    case "WORKDIR":
      return { ...image, workdir: args };
    case "USER":
      return { ...image, user: args };
    case "ENV":
      return { ...image, env: { ...image.env, ...Object.fromEntries(args.split(" ").map((pair) => pair.split("="))) } };
    case "HEALTHCHECK":
      return { ...image, healthcheck: list() };
    case "ENTRYPOINT":
      return { ...image, entrypoint: list() };
    case "CMD":
      return { ...image, command: list() };
    default:
      throw new Error(`This reader of the Dockerfile does not know ${word}.`);
  }
}

interface Places {
  folder: string;
  context: string;
  stages: Map<string, Image>;
}

/** RUN and COPY; all other instructions change no files. */
async function carryOut({ word, args }: Instruction, image: Image, places: Places): Promise<void> {
  const flags = Object.fromEntries([...args.matchAll(/--(\w+)=(\S+) /g)].map(([, name, value]) => [name, value!]));
  const rest = args.replace(/--\w+=\S+ /g, "");
  const root = join(places.folder, "root");
  const steps = word === "RUN" ? stepsOfRun(rest, flags, image, root) : stepsOfCopy(rest, flags, image, root, places);
  if (word === "RUN" || word === "COPY")
    await printedBy(isolated([...mountLayers(image.layers, root, "writable"), ...steps]));
}

type Flags = Record<string, string>;

function stepsOfRun(command: string, { mount = "" }: Flags, { env, workdir }: Image, root: string): string[] {
  const [, cache] = /^type=cache,target=(.+)$/.exec(mount) ?? [];
  const npmrc = join(homedir(), ".npmrc");
  return [
    ...mountKernel(root),
    // A builder has its own settings for registries, and keeps caches.
    `mount -t tmpfs tmpfs ${root}/root`,
    existsSync(npmrc) ? `cp ${npmrc} ${root}/root` : "true",
    ...(cache ? bind(join(homedir(), ".bun/install/cache"), `${root}${cache}`) : []),
    `mkdir -p ${root}${workdir}`,
    `chroot ${root} env --ignore-environment ${pairsOf({ ...env, HOME: "/root" })} sh -c ${$.escape(`cd ${workdir} && ${command}`)}`,
  ];
}

function stepsOfCopy(paths: string, { from, chmod }: Flags, image: Image, root: string, places: Places): string[] {
  const words = paths.split(" ");
  const source = from ? join(places.folder, "other") : places.context;
  const target = `${root}${join("/", words.at(-1)!.startsWith("/") ? "" : image.workdir, words.at(-1)!)}`;
  const copies = words.slice(0, -1).map((path) => {
    const each = join(source, path);
    return `if [ -d ${each} ]; then mkdir -p ${target} && cp -R ${each}/. ${target}; else cp ${each} ${target}; fi`;
  });
  return [
    ...(from ? mountLayers(places.stages.get(from)!.layers, source) : []),
    `mkdir -p ${target.endsWith("/") ? target : dirname(target)}`,
    ...copies,
    ...(chmod ? [`chmod ${chmod} ${target}`] : []),
  ];
}

interface RunOptions {
  command?: string[];
  env: Record<string, string>;
  /** A folder of this machine that the container has as /run/host. */
  volume: string;
}

/** As `docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --network host`. */
export function runImage(
  image: Image,
  folder: string,
  { command = image.command, env, volume }: RunOptions,
): StartedProcess {
  const root = join(folder, "root");
  const [user, group] = image.user.split(":");
  const confined = `setpriv --reuid ${user} --regid ${group} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all`;
  const steps = [
    ...mountLayers(image.layers, root),
    ...mountKernel(root),
    `mount -t tmpfs tmpfs ${root}/run`,
    ...bind(volume, `${root}/run/host`),
    `exec chroot ${root} ${confined} env --ignore-environment --chdir=${image.workdir} ${pairsOf({ ...image.env, ...env })} ${[...image.entrypoint, ...command].map($.escape).join(" ")}`,
  ];
  const child = Bun.spawn(isolated(steps), { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  // unshare passes no signals on; an engine sends them to the first process of the container.
  const first = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8"));
  return followed(child, (signal) => process.kill(first() || child.pid, signal));
}

/** In namespaces of its own, whose mounts and processes end with it. */
function isolated(steps: string[]): string[] {
  return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", steps.join("\n")];
}

function mountLayers(layers: string[], root: string, mode: "read-only" | "writable" = "read-only"): string[] {
  const lower = mode === "writable" ? layers.slice(0, -1) : layers;
  const work = `${layers.at(-1)}.work`;
  const upper = mode === "writable" ? `,upperdir=${layers.at(-1)},workdir=${work}` : "";
  return [
    `mkdir -p ${root} ${mode === "writable" ? work : ""}`,
    `mount -t overlay overlay -o lowerdir=${lower.toReversed().join(":")}${upper} ${root}`,
  ];
}

function mountKernel(root: string): string[] {
  return [
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    `mount -t tmpfs -o mode=1777 tmpfs ${root}/tmp`,
  ];
}

function bind(folder: string, target: string): string[] {
  return [`mkdir -p ${folder} ${target}`, `mount --bind ${folder} ${target}`];
}

function pairsOf(env: Record<string, string>): string {
  return Object.entries(env)
    .map(([name, value]) => $.escape(`${name}=${value}`))
    .join(" ");
}
