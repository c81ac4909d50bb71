// The windows of a worker, together: a connection is never a label.

import { Gauge, type Registry } from "prom-client";

interface Window {
  places: number;
  out: number;
  waiting: number;
  quick: boolean;
}

/** @param list of all receivers that this worker knows */
export function measureWindows(registry: Registry, list: () => readonly [unknown, Window][]): void {
  const registers = [registry];
  const windows = () => list().map(([, window]) => window);
  const sumOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
  new Gauge({
    name: "gatehouse_webhook_windows",
    help: "Receivers with a window, by the speed of their last response.",
    labelNames: ["speed"],
    registers,
    collect() {
      const all = windows();
      const quick = all.filter((window) => window.quick).length;
      this.set({ speed: "Quick" }, quick);
      this.set({ speed: "Slow" }, all.length - quick);
    },
  });
  new Gauge({
    name: "gatehouse_webhook_window_places",
    help: "Places of all windows: concurrent posts that they allow.",
    labelNames: ["state"],
    registers,
    collect() {
      const all = windows();
      const taken = sumOf(all.map(({ out }) => out));
      this.set({ state: "Taken" }, taken);
      this.set({ state: "Free" }, sumOf(all.map(({ places, out }) => Math.max(0, places - out))));
    },
  });
  new Gauge({
    name: "gatehouse_webhook_window_waiting",
    help: "Posts that wait for a place in a window.",
    registers,
    collect() {
      this.set(sumOf(windows().map(({ waiting }) => waiting)));
    },
  });
}
