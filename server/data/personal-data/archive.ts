// A zip archive of JSON files, made while it is read.

import { strToU8, Zip, ZipDeflate } from "fflate";

/** A JSON file with one array, whose items are read in batches. */
export interface ArchivedFile {
  name: string;
  batches: AsyncIterable<readonly object[]> | Iterable<readonly object[]>;
}

/** @param index describes the archive, in its first file */
export async function* archiveOf(index: object, files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  let made: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    made.push(bytes);
  });
  const taken = () => {
    const bytes = made;
    made = [];
    return bytes;
  };
  async function* addFile(name: string, parts: AsyncIterable<string> | Iterable<string>) {
    const file = new ZipDeflate(name);
    zip.add(file);
    for await (const part of parts) {
      file.push(strToU8(part));
      yield* taken();
    }
    file.push(new Uint8Array(), true);
    yield* taken();
  }
  yield* addFile("index.json", [`${JSON.stringify(index, null, 2)}\n`]);
  for await (const { name, batches } of files) yield* addFile(`${name}.json`, arrayOf(batches));
  zip.end();
  yield* taken();
}

async function* arrayOf(batches: ArchivedFile["batches"]): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const batch of batches) {
    for (const item of batch) {
      yield separator + JSON.stringify(item);
      separator = ",\n";
    }
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}
