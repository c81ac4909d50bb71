// The lines that differ between two texts. Policies are short, so a simple algorithm is fast enough.

export interface Line {
  kind: "same" | "gone" | "new";
  text: string;
}

/** The longest common subsequence of lines; removed lines come before added ones. */
export function differenceOf(before: string, after: string): Line[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const width = now.length + 1;
  /** The number of common lines from each position on. */
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: Line[] = [];
  for (let [i, j] = [0, 0]; i < old.length || j < now.length; ) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: "same", text: old[i]! });
      i++;
      j++;
    } else if (i < old.length && (j === now.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      lines.push({ kind: "gone", text: old[i++]! });
    } else {
      lines.push({ kind: "new", text: now[j++]! });
    }
  }
  return lines;
}
