// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files under /sys/kernel/debug/wakelat. What is read has mode 0444 and its
 * own files, so that it opens under lockdown; what controls is apart.
 */
#include "wakelat.h"

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uaccess.h>

static struct dentry *root;

/* One number from @least to @greatest, or a log line and an error. */
static int number_from_user(const char *name, const char __user *data, size_t size,
			    unsigned int least, unsigned int greatest,
			    unsigned int *number)
{
	char text[16] = "";
	int err;

	err = kstrtouint_from_user(data, size, 0, number);
	if (!err && (*number < least || *number > greatest))
		err = -ERANGE;
	if (!err || err == -EFAULT)
		return err;
	if (copy_from_user(text, data, min(size, sizeof(text) - 1)))
		return -EFAULT;
	pr_err("%s: wrote \"%.*s\", want a number from %u to %u (error %d)\n", name,
	       (int)strcspn(text, "\n"), text, least, greatest, err);
	return err;
}

static ssize_t enable_read(struct file *file, char __user *data, size_t size,
			   loff_t *pos)
{
	const char *text = READ_ONCE(wakelat_run.running) ? "1\n" : "0\n";

	return simple_read_from_buffer(data, size, pos, text, 2);
}

static ssize_t enable_write(struct file *file, const char __user *data, size_t size,
			    loff_t *pos)
{
	unsigned int on;
	int err;

	err = number_from_user("enable", data, size, 0, 1, &on);
	if (err)
		return err;
	mutex_lock(&wakelat_mutex);
	if (on)
		err = wakelat_start();
	else
		wakelat_stop();
	mutex_unlock(&wakelat_mutex);
	if (err == -EBUSY)
		pr_err("enable: wrote 1, but it is measuring already; 0 stops it (error %d)\n",
		       err);
	return err ? err : size;
}

static const struct file_operations enable_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = enable_read,
	.write = enable_write,
	.llseek = default_llseek,
};

static ssize_t reset_write(struct file *file, const char __user *data, size_t size,
			   loff_t *pos)
{
	unsigned int one;
	int err;

	err = number_from_user("reset", data, size, 1, 1, &one);
	if (err)
		return err;
	mutex_lock(&wakelat_mutex);
	wakelat_reset();
	mutex_unlock(&wakelat_mutex);
	return size;
}

static const struct file_operations reset_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = reset_write,
	.llseek = noop_llseek,
};

int __init wakelat_debugfs_init(void)
{
	root = debugfs_create_dir(KBUILD_MODNAME, NULL);
	if (IS_ERR(root)) {
		pr_err("no debugfs, so nothing could be read: it needs CONFIG_DEBUG_FS, and no debugfs=off (error %ld)\n",
		       PTR_ERR(root));
		return PTR_ERR(root);
	}
	wakelat_report_files(root);
	wakelat_dump_files(root);
	wakelat_worst_files(root);
	wakelat_watch_files(root);
	wakelat_timeline_files(root);
	debugfs_create_file("enable", 0600, root, NULL, &enable_fops);
	debugfs_create_file("reset", 0200, root, NULL, &reset_fops);
	return 0;
}

/* Returns when no reader or writer is left. */
void wakelat_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}
