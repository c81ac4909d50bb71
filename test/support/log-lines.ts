/** @returns the log lines of a process from its standard output, as they arrive */
export function logLines(stdout: ReadableStream<Uint8Array>): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  void collect(stdout, lines);
  return lines;
}

async function collect(stdout: ReadableStream<Uint8Array>, lines: Record<string, unknown>[]): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stdout) {
    const complete = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = complete.pop() ?? "";
    for (const line of complete) lines.push(JSON.parse(line));
  }
}
