/* SPDX-License-Identifier: MIT */
/*
 * Stands between SQLite and the system: counts what is done, makes the n-th of it fail, and notes
 * the files that are opened. Allocations of SQLite can be made to fail likewise.
 *
 *	vfs_install();
 *	vfs_fail(&vfs.io, 3, false);	the third operation from now on fails
 *	...
 *	vfs_calm();
 */
#ifndef TESTS_STORE_VFS_H
#define TESTS_STORE_VFS_H

#include "base/buf.h"

#include <sqlite3.h>
#include <stdio.h>

/* Something that is counted and can be made to fail. */
struct vfs_point {
	unsigned n;    /* so many until now */
	unsigned fail; /* this one fails; 0 none */
	bool for_ever; /* and all after it */
	bool hit;      /* one did fail */
};

enum vfs_kind { VFS_MAIN, VFS_LOG, VFS_OTHER };

struct vfs_file {
	sqlite3_file base;
	enum vfs_kind kind;
	sqlite3_file *real;
};

static struct {
	sqlite3_vfs vfs, *real;
	sqlite3_mem_methods memory;
	struct vfs_point io, alloc;
	bool full;            /* writes fail as a full disk does */
	bool never_sync;      /* syncs are counted, not done */
	unsigned log_syncs;   /* of the -wal */
	unsigned strangers;   /* files opened that are not the journal's */
	const char *journal;  /* its path */
	bool remember;        /* `synced` is kept */
	struct buf synced[2]; /* the file and its log as a power cut would leave them */
} vfs;

static inline bool
vfs_fails(struct vfs_point *p)
{
	p->n++;
	if (!p->fail || (p->for_ever ? p->n < p->fail : p->n != p->fail))
		return false;
	p->hit = true;
	return true;
}

static inline void
vfs_fail(struct vfs_point *p, unsigned nth, bool for_ever)
{
	*p = (struct vfs_point){ .fail = nth, .for_ever = for_ever };
}

static inline void
vfs_calm(void)
{
	vfs.io = vfs.alloc = (struct vfs_point){ 0 };
}

/* ---- files ---- */

static inline sqlite3_file *
vfs_real(sqlite3_file *f)
{
	return ((struct vfs_file *)(void *)f)->real;
}

static int
vfs_close(sqlite3_file *f)
{
	return vfs_real(f)->pMethods->xClose(vfs_real(f));
}

static int
vfs_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	if (vfs_fails(&vfs.io))
		return SQLITE_IOERR_READ;
	return vfs_real(f)->pMethods->xRead(vfs_real(f), p, n, at);
}

/* A failing write leaves its first half. */
static int
vfs_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	bool fails = vfs_fails(&vfs.io);
	int rc = vfs_real(f)->pMethods->xWrite(vfs_real(f), p, fails ? n / 2 : n, at);

	return !fails ? rc : vfs.full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int
vfs_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	if (vfs_fails(&vfs.io))
		return SQLITE_IOERR_TRUNCATE;
	return vfs_real(f)->pMethods->xTruncate(vfs_real(f), n);
}

/* All that was written since the last sync may be lost; here it always is. */
static inline void
vfs_keep(const struct vfs_file *file)
{
	struct buf *kept = &vfs.synced[file->kind];
	sqlite3_int64 n = 0;

	buf_done(kept);
	*kept = buf_max(MiB(64));
	if (file->real->pMethods->xFileSize(file->real, &n) == SQLITE_OK && n > 0)
		file->real->pMethods->xRead(file->real, buf_space(kept, (size_t)n), (int)n, 0);
}

static int
vfs_sync(sqlite3_file *f, int flags)
{
	const struct vfs_file *file = (struct vfs_file *)(void *)f;

	if (vfs_fails(&vfs.io))
		return SQLITE_IOERR_FSYNC;
	vfs.log_syncs += file->kind == VFS_LOG;
	if (vfs.remember && file->kind != VFS_OTHER)
		vfs_keep(file);
	return vfs.never_sync ? SQLITE_OK : vfs_real(f)->pMethods->xSync(vfs_real(f), flags);
}

static int
vfs_size(sqlite3_file *f, sqlite3_int64 *ret_n)
{
	return vfs_real(f)->pMethods->xFileSize(vfs_real(f), ret_n);
}

static int
vfs_lock(sqlite3_file *f, int kind)
{
	return vfs_real(f)->pMethods->xLock(vfs_real(f), kind);
}

static int
vfs_unlock(sqlite3_file *f, int kind)
{
	return vfs_real(f)->pMethods->xUnlock(vfs_real(f), kind);
}

static int
vfs_check_lock(sqlite3_file *f, int *ret_locked)
{
	return vfs_real(f)->pMethods->xCheckReservedLock(vfs_real(f), ret_locked);
}

static int
vfs_control(sqlite3_file *f, int op, void *arg)
{
	return vfs_real(f)->pMethods->xFileControl(vfs_real(f), op, arg);
}

static int
vfs_sector(sqlite3_file *f)
{
	return vfs_real(f)->pMethods->xSectorSize(vfs_real(f));
}

static int
vfs_device(sqlite3_file *f)
{
	return vfs_real(f)->pMethods->xDeviceCharacteristics(vfs_real(f));
}

static int
vfs_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **ret_p)
{
	if (vfs_fails(&vfs.io))
		return SQLITE_IOERR_SHMMAP;
	return vfs_real(f)->pMethods->xShmMap(vfs_real(f), page, size, extend, ret_p);
}

static int
vfs_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
	return vfs_real(f)->pMethods->xShmLock(vfs_real(f), at, n, flags);
}

static void
vfs_shm_barrier(sqlite3_file *f)
{
	vfs_real(f)->pMethods->xShmBarrier(vfs_real(f));
}

static int
vfs_shm_unmap(sqlite3_file *f, int delete)
{
	return vfs_real(f)->pMethods->xShmUnmap(vfs_real(f), delete);
}

static const sqlite3_io_methods vfs_methods = {
	.iVersion = 2,
	.xClose = vfs_close,
	.xRead = vfs_read,
	.xWrite = vfs_write,
	.xTruncate = vfs_truncate,
	.xSync = vfs_sync,
	.xFileSize = vfs_size,
	.xLock = vfs_lock,
	.xUnlock = vfs_unlock,
	.xCheckReservedLock = vfs_check_lock,
	.xFileControl = vfs_control,
	.xSectorSize = vfs_sector,
	.xDeviceCharacteristics = vfs_device,
	.xShmMap = vfs_shm_map,
	.xShmLock = vfs_shm_lock,
	.xShmBarrier = vfs_shm_barrier,
	.xShmUnmap = vfs_shm_unmap,
};

static bool
vfs_is_journal(const char *name)
{
	size_t n = vfs.journal ? strlen(vfs.journal) : 0;

	return name && n && strncmp(name, vfs.journal, n) == 0 &&
	       (!name[n] || strcmp(name + n, "-wal") == 0 || strcmp(name + n, "-journal") == 0);
}

static int
vfs_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *ret_flags)
{
	struct vfs_file *file = (struct vfs_file *)(void *)f;
	int rc;

	(void)v;
	file->base.pMethods = NULL;
	file->kind = flags & SQLITE_OPEN_WAL       ? VFS_LOG
		     : flags & SQLITE_OPEN_MAIN_DB ? VFS_MAIN
						   : VFS_OTHER;
	file->real = (sqlite3_file *)(void *)(file + 1);
	vfs.strangers += !vfs_is_journal(name);
	if (vfs_fails(&vfs.io))
		return SQLITE_CANTOPEN;
	rc = vfs.real->xOpen(vfs.real, name, file->real, flags, ret_flags);
	if (file->real->pMethods)
		file->base.pMethods = &vfs_methods;
	return rc;
}

/* ---- memory ---- */

static void *
vfs_malloc(int n)
{
	return vfs_fails(&vfs.alloc) ? NULL : vfs.memory.xMalloc(n);
}

static void *
vfs_realloc(void *p, int n)
{
	return vfs_fails(&vfs.alloc) ? NULL : vfs.memory.xRealloc(p, n);
}

/* Before SQLite is used at all. */
static inline void
vfs_install(void)
{
	sqlite3_mem_methods memory;

	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &vfs.memory) != SQLITE_OK)
		abort();
	memory = vfs.memory;
	memory.xMalloc = vfs_malloc;
	memory.xRealloc = vfs_realloc;
	if (sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) != SQLITE_OK ||
	    sqlite3_initialize() != SQLITE_OK)
		abort();
	vfs.real = sqlite3_vfs_find(NULL);
	vfs.vfs = *vfs.real;
	vfs.vfs.zName = "watched";
	vfs.vfs.szOsFile += (int)sizeof(struct vfs_file);
	vfs.vfs.xOpen = vfs_open;
	if (sqlite3_vfs_register(&vfs.vfs, 1) != SQLITE_OK)
		abort();
}

#endif
